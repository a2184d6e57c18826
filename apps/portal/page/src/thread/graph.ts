/** Who spoke to whom in a thread, and how often. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly asks: number
  readonly answers: number
}

export interface GraphNode {
  readonly stance: string
  /** 0 is who began */
  readonly layer: number
  /** place within the layer, from 0 */
  readonly place: number
  /** how many are in its layer */
  readonly of: number
}

interface GraphEdge {
  readonly id: string
  readonly from: string | null
  readonly to: string
  readonly inReplyTo: string | null
}

/**
 * The beings of a thread in layers: who began, whom it asked, whom those asked. An answer goes back along the
 * ask that it answers, so it makes no edge of its own. Within a layer beings stand near those who asked them,
 * so that few lines cross.
 */
export function graphOf(lines: readonly GraphEdge[]): {
  readonly nodes: GraphNode[]
  readonly edges: Edge[]
} {
  const edges = new Map<string, { from: string; to: string; asks: number; answers: number }>()
  const byId = new Map(lines.map((line) => [line.id, line]))
  const edge = (from: string, to: string) => {
    const key = `${from} ${to}`
    const found = edges.get(key) ?? { from, to, asks: 0, answers: 0 }
    edges.set(key, found)
    return found
  }
  for (const { from, to, inReplyTo } of lines) {
    if (from === null || from === to) continue
    const asked = inReplyTo === null ? undefined : byId.get(inReplyTo)
    if (asked?.from === to && asked.to === from) edge(to, from).answers += 1
    else edge(from, to).asks += 1
  }
  const all = [...edges.values()]
  return { nodes: inLayers(lines, all), edges: all }
}

function inLayers(lines: readonly GraphEdge[], edges: readonly Edge[]): GraphNode[] {
  const order = [...new Set(lines.flatMap(({ from, to }) => (from === null ? [to] : [from, to])))]
  const layers = new Map<string, number>()
  for (const first of order) {
    if (layers.has(first)) continue
    const queue = [first]
    layers.set(first, 0)
    for (let stance = queue.shift(); stance !== undefined; stance = queue.shift())
      for (const { from, to } of edges) {
        if (from !== stance || layers.has(to)) continue
        layers.set(to, (layers.get(stance) ?? 0) + 1)
        queue.push(to)
      }
  }
  const placed = new Map<string, GraphNode>()
  const deepest = Math.max(0, ...layers.values())
  for (let layer = 0; layer <= deepest; layer++) {
    const here = order.filter((stance) => layers.get(stance) === layer)
    const pull = (stance: string): number => {
      const above = edges.flatMap(({ from, to }) => (to === stance ? (placed.get(from) ?? []) : []))
      if (above.length === 0) return order.indexOf(stance) / order.length
      return above.reduce((sum, { place, of }) => sum + (place + 0.5) / of, 0) / above.length
    }
    const sorted = here.map((stance) => ({ stance, pull: pull(stance) })).sort((a, b) => a.pull - b.pull)
    for (const [place, { stance }] of sorted.entries())
      placed.set(stance, { stance, layer, place, of: here.length })
  }
  return order.flatMap((stance) => placed.get(stance) ?? [])
}
