// Reading the counters of `/metrics`, which come in Prometheus' text format.

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples, each with its name, labels and value. */
export function parsed(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const match = line.startsWith("#") ? null : LINE.exec(line);
    if (!match) continue;
    const labels = Object.fromEntries([...(match[2] ?? "").matchAll(LABEL)].map((pair) => [pair[1], pair[2]]));
    found.push({ name: match[1], labels, value: Number(match[3]) });
  }
  return found;
}

/** A counter added up by one of its labels. */
export function byLabel(samples, name, label) {
  const sums = new Map();
  for (const one of samples) {
    if (one.name === name) sums.set(one.labels[label], (sums.get(one.labels[label]) ?? 0) + one.value);
  }
  return sums;
}

/** For each value of a label of a histogram: a function from a share to the bound that so many stay under. */
export function quantiles(samples, name, label) {
  const buckets = new Map();
  for (const one of samples) {
    if (one.name !== `${name}_bucket`) continue;
    const bound = one.labels.le === "+Inf" ? Infinity : Number(one.labels.le);
    buckets.set(one.labels[label], [...(buckets.get(one.labels[label]) ?? []), [bound, one.value]]);
  }
  const made = new Map();
  for (const [key, rows] of buckets) {
    const ranked = rows.sort((one, two) => one[0] - two[0]);
    const all = ranked.at(-1)[1];
    made.set(key, (share) => ranked.find(([, count]) => count >= share * all)?.[0]);
  }
  return made;
}
