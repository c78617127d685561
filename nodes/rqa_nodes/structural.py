"""What does the product answer when no model server is there?

`StructuralChatModel` is a LangChain chat model without a model: it reads the rendered prompt back into its parts and
applies the pure rules of `structure/`. It is deterministic to the byte, knows nothing about the world, and sees
exactly what a model server would have seen. It refuses the task `evaluate`: a rule that scored its own questions would
vouch for itself.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import read
from rqa_nodes.structure.analyse import analyse
from rqa_nodes.structure.answer import reply
from rqa_nodes.structure.code_prose import prose_of

__all__ = ["StructuralChatModel"]

_NAME = "builtin"


def _pieces(parts: PromptParts) -> Iterator[str]:
    if parts.task == "evaluate":
        raise ModelUnavailableError(
            "the built-in engine was asked to evaluate; it cannot score questions",
            hint="Bind an evaluator in config/evaluator_binding.yaml, or go on with the generator's own ranking.",
        )
    if parts.task == "judge":
        raise ModelUnavailableError(
            "the built-in engine was asked to review answers; it cannot",
            hint="Name a reviewer in config/deliberation.yaml, or let a person approve.",
        )
    if parts.task == "analyse":
        words = (replace(part, text=prose_of(part.text, part.locator)) for part in parts.documents)
        yield json.dumps(analyse(replace(parts, documents=tuple(words))), ensure_ascii=False)
        return
    yield from reply(parts)


class StructuralChatModel(BaseChatModel):
    """The built-in engine behind LangChain's chat interface.

    Takes messages made by `rqa_nodes.prompts.render` and returns a reply (task `answer`, streamed by the sentence) or
    an analysis as a JSON string (task `analyse`).

    Raises:
        ModelUnavailableError: for the task `evaluate`.
        PromptFormatError: for messages that `render` did not make.
    """

    @property
    def _llm_type(self) -> str:
        return "rqa-structural"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": _NAME}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the base class names it
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - the base class names it
        **kwargs: Any,  # noqa: ARG002 - the base class names it
    ) -> ChatResult:
        message = AIMessage(content="".join(_pieces(read(messages))), response_metadata={"model_name": _NAME})
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the base class names it
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ARG002 - the base class names it
    ) -> Iterator[ChatGenerationChunk]:
        for piece in _pieces(read(messages)):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the base class names it
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ARG002 - the base class names it
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in _pieces(read(messages)):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
