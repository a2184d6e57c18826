/** Prometheus text, by the name of the metric and its labels. */
export type Metrics = ReadonlyMap<string, number>

export async function scrape(url: string): Promise<Metrics> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const values = new Map<string, number>()
  for (const line of (await response.text()).split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const end = line.lastIndexOf(' ')
    values.set(line.slice(0, end), Number(line.slice(end + 1)))
  }
  return values
}

/** What the counters of a metric grew by, summed over all label sets that contain the given texts. */
export function growth(before: Metrics, after: Metrics, name: string, ...labels: string[]): number {
  let sum = 0
  for (const [key, value] of after) {
    const brace = key.indexOf('{')
    const isIt = (brace === -1 ? key : key.slice(0, brace)) === name
    if (isIt && labels.every((label) => key.includes(label))) sum += value - (before.get(key) ?? 0)
  }
  return sum
}
