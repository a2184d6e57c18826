/** The dashboard and the alerts name metrics and labels that the code has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LABEL_VALUES, Metrics } from '@treeos/host/metrics'
import { REALITY_LABELS, RealityMetrics } from '@treeos/telemetry'
import { expect, it } from 'vitest'

const FOLDER = join(import.meta.dirname, '../../../infra/monitoring')

interface Known {
  readonly name: string
  readonly type: unknown
  readonly labelNames: readonly string[]
}

/** Series by their names, with their labels. */
function knownSeries(): ReadonlyMap<string, readonly string[]> {
  const registries = [
    new RealityMetrics(null as never, null as never).registry,
    new Metrics(null as never).registry,
  ]
  const all = registries.flatMap(
    (registry) =>
      registry.getMetricsAsArray() as unknown as readonly (Known & { readonly constructor: unknown })[],
  )
  return new Map(
    all.flatMap((metric): [string, readonly string[]][] => {
      const { name, labelNames } = metric
      const kind = (metric.constructor as { name: string }).name
      if (kind === 'Histogram')
        return ['_bucket', '_sum', '_count'].map((end) => [`${name}${end}`, [...labelNames, 'le']])
      if (kind === 'Counter') return [[name.endsWith('_total') ? name : `${name}_total`, labelNames]]
      return [[name, labelNames]]
    }),
  )
}

const expressions = (): string[] => {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8'))
  const alerts = readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8')
  return [
    ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
    ...[...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
  ]
}

/** What an expression says that the code does not have. */
function unknownIn(expression: string, series: ReadonlyMap<string, readonly string[]>): string[] {
  const named = expression.match(/treeos_\w+/g) ?? []
  const labels = named.flatMap((name) => series.get(name) ?? [])
  const by = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  const matchers = [...expression.matchAll(/(\w+)="([^"]*)"/g)]
  const values = { ...REALITY_LABELS, ...LABEL_VALUES }
  return [
    ...(named.length === 0 ? ['no metric'] : []),
    ...named.filter((name) => !series.has(name)),
    ...[...by, ...matchers.map(([, label = '']) => label)].filter((label) => !labels.includes(label)),
    ...matchers
      .filter(([, label = '', value = '']) => values[label]?.includes(value) === false)
      .map(([matcher]) => matcher),
  ]
}

it('the dashboard and the alerts name metrics, labels and values that the code has', () => {
  const series = knownSeries()
  const found = expressions()
  expect(found.length).toBeGreaterThan(15)
  expect(found.flatMap((expression) => unknownIn(expression, series))).toEqual([])
})

it.each([
  ['treeos_reality_moment_total', 'another name'],
  ['sum by (being) (treeos_reality_moments_total)', 'another label'],
  ['treeos_reality_moments_total{outcome="lost"}', 'another value'],
  ['up', 'no metric of ours'],
])('control: %s has %s', (expression) => expect(unknownIn(expression, knownSeries())).not.toEqual([]))

it('every metric of the reality is on the dashboard, and no label names a being or a content', () => {
  const shown = expressions().join(' ')
  const own = [...knownSeries()].filter(([name]) => name.startsWith('treeos_reality_'))
  for (const [name, labels] of own) {
    if (!/_(sum|count)$/.test(name)) expect(shown).toContain(name)
    for (const label of labels) expect(Object.keys({ ...REALITY_LABELS, le: 1 })).toContain(label)
  }
})
