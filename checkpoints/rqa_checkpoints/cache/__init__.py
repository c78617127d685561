"""The Integrity Cache: answers that were verified, scored and attested, and when one of them may be given again."""
