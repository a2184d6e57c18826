/** One value of the Prometheus text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/
const LABEL = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)/gy
const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }

/** Reads what a scrape answers, in its order. Comments, and lines of any other form, are passed over. */
export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    return [{ name, labels: labelsIn(labels), value: numberOf(value) }]
  })
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\./g, (pair) => ESCAPES[pair] ?? pair),
    ]),
  )
}

function numberOf(text: string): number {
  const infinity = /^([+-]?)Inf$/i.exec(text)
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity
  return Number(text)
}
