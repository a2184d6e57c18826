import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { refusalsOf } from '../support/kubernetes.ts'

const HELM = join(import.meta.dirname, '../../infra/helm')
const CHART = join(HELM, 'treeos')
const VALUES = join(HELM, 'check/values')
const files = readdirSync(VALUES)
/** The flags of packages/local/src/temporal/build.ts, so that what the two programs share is built once. */
const FLAGS = ['-trimpath', '-ldflags=-s -w', '-gcflags=all=-dwarf=false']
const BUILD_MS_MAX = 600_000

interface Answer {
  readonly values: string
  readonly lint: readonly string[]
  readonly manifests: Readonly<Record<string, string>> | null
  readonly error?: string
}
// biome-ignore lint/suspicious/noExplicitAny: manifests are of any shape
type Manifest = any

const endpoint = { port: z.string(), path: z.string(), interval: z.string() }
const monitor = (spec: z.ZodObject) =>
  z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.string(),
    metadata: z.strictObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
    spec,
  })
const selector = z.strictObject({ matchLabels: z.record(z.string(), z.string()) })
/** What the Prometheus Operator takes, as far as the chart uses it: Kubernetes has no such kinds of its own. */
const MONITORS: Readonly<Record<string, z.ZodType>> = {
  PodMonitor: monitor(
    z.strictObject({ selector, podMetricsEndpoints: z.array(z.strictObject(endpoint)).min(1) }),
  ),
  ServiceMonitor: monitor(
    z.strictObject({
      selector,
      endpoints: z
        .array(
          z.strictObject({
            ...endpoint,
            authorization: z.strictObject({
              credentials: z.strictObject({ name: z.string(), key: z.string() }),
            }),
            relabelings: z.array(z.strictObject({ targetLabel: z.string(), replacement: z.string() })),
          }),
        )
        .min(1),
    }),
  ),
}
const refusals = async (manifest: Manifest): Promise<string[]> => {
  const schema = MONITORS[manifest.kind]
  if (schema === undefined) return refusalsOf(manifest)
  return schema.safeParse(manifest).error?.issues.map(({ message }) => message) ?? []
}

const hasGo = (() => {
  try {
    execFileSync('go', ['version'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasGo)('the Helm chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-helm-'))
  const program = join(folder, 'helm-check')
  const answers = new Map<string, Answer>()
  const ask = (chart: string, ...values: string[]): Answer[] =>
    execFileSync(program, [chart, ...values], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer)
  const manifestsOf = ({ manifests }: Answer): Manifest[] =>
    Object.entries(manifests ?? {})
      .filter(([path]) => path.endsWith('.yaml'))
      .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()))
      .filter((manifest) => manifest !== null)
  const rendered = (file: string): Manifest[] => manifestsOf(answers.get(file) as Answer)
  const podsOf = (manifests: readonly Manifest[]): Manifest[] =>
    manifests
      .filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind))
      .map(({ kind, spec }) => (kind === 'CronJob' ? spec.jobTemplate.spec : spec).template.spec)
  const variablesOf = (pod: Manifest) =>
    new Map<string, Manifest>(pod.containers[0].env.map((one: Manifest) => [one.name, one]))

  beforeAll(() => {
    execFileSync('go', ['build', ...FLAGS, '-o', program, '.'], { cwd: join(HELM, 'check'), stdio: 'pipe' })
    for (const answer of ask(CHART, ...files.map((file) => join(VALUES, file))))
      answers.set(answer.values, answer)
  }, BUILD_MS_MAX)
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(files)('is linted and rendered with %s, and Kubernetes takes every manifest', async (file) => {
    const answer = answers.get(file)
    expect(answer).toMatchObject({ lint: [] })
    expect(answer?.error).toBeUndefined()
    const manifests = rendered(file)
    expect(manifests.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['CronJob', 'Deployment', 'PodDisruptionBudget']),
    )
    for (const manifest of manifests)
      expect([manifest.kind, await refusals(manifest)]).toEqual([manifest.kind, []])
  })

  it.each(files)('with %s no pod is root, writes its image, or has a token of Kubernetes', (file) => {
    const pods = podsOf(rendered(file))
    expect(pods.length).toBeGreaterThan(0)
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
      })
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
  })

  it('each login of Postgres is for one kind of pod, and only workers get keys of models', () => {
    const pods = podsOf(rendered('temporal-cloud.yaml'))
    const [worker, job, replays] = ['worker', 'migrations', 'replays'].map((name) =>
      pods.find(({ containers }) => containers[0].name === name),
    )
    for (const pod of [worker, job]) expect(variablesOf(pod).has('TREEOS_PEOPLE_DATABASE_URL')).toBe(false)
    const people = variablesOf(replays).get('TREEOS_PEOPLE_DATABASE_URL')
    expect(people.valueFrom.secretKeyRef).toEqual({ name: 'postgres', key: 'people-url' })
    for (const name of ['TREEOS_OWNER_DATABASE_URL', 'OPENAI_API_KEY'])
      expect(variablesOf(replays).has(name)).toBe(false)
    expect(variablesOf(worker).has('TREEOS_OWNER_DATABASE_URL')).toBe(false)
    expect(variablesOf(worker).get('OPENAI_API_KEY').valueFrom.secretKeyRef).toEqual({
      name: 'openai',
      key: 'api-key',
    })
    expect(variablesOf(job).get('TREEOS_OWNER_DATABASE_URL').valueFrom.secretKeyRef.key).toBe('owner-url')
    expect(variablesOf(job).has('OPENAI_API_KEY')).toBe(false)
    for (const [, { value = '' }] of variablesOf(worker)) expect(value).not.toMatch(/secret|password/i)
    const [without] = podsOf(rendered('no-openai.yaml'))
    expect([...variablesOf(without).keys()].filter((name) => name.startsWith('OPENAI'))).toEqual([])
  })

  describe('with a portal, a signer, traces and monitors', () => {
    const all = () => rendered('portal.yaml')
    const named = (kind: string, end: string): Manifest =>
      all().find((one) => one.kind === kind && one.metadata.name.endsWith(end))
    const podOf = (end: string): Manifest => named('Deployment', end).spec.template
    const isOf = (labels: Record<string, string>, chosen: Record<string, string>) =>
      Object.entries(chosen).every(([name, value]) => labels[name] === value)
    const templates = (): Manifest[] =>
      all().flatMap(({ kind, spec }) => (kind === 'Deployment' ? [spec.template] : []))
    const portsOf = (template: Manifest): string[] =>
      (template.spec.containers[0].ports ?? []).map(({ name }: Manifest) => name)

    it('an Ingress leads to the portal, and to no other pod', () => {
      const [rule] = named('Ingress', '-portal').spec.rules
      const { service } = rule.http.paths[0].backend
      const { metadata, spec } = named('Service', '-portal')
      expect(service).toEqual({ name: metadata.name, port: { name: spec.ports[0].name } })
      const chosen = templates().filter(({ metadata: { labels } }) => isOf(labels, spec.selector))
      expect(chosen).toEqual([podOf('-portal')])
      expect(portsOf(chosen[0])).toContain(spec.ports[0].targetPort)
      const hosts = variablesOf(podOf('-portal').spec).get('TREEOS_PORTAL_HOSTS').value
      expect(hosts).toBe(
        `https://${rule.host},world.example.net,http://${metadata.name}.default.svc:${spec.ports[0].port}`,
      )
    })

    it('without an Ingress its links lead to a forwarded port', () => {
      const pods = podsOf(rendered('own-cluster.yaml'))
      const portal = pods.find(({ containers }) => containers[0].name === 'portal')
      expect(variablesOf(portal).get('TREEOS_PORTAL_HOSTS').value).toMatch(/^http:\/\/localhost:7438,/)
    })

    it('monitors find the pods and ports that have metrics', () => {
      const { selector: workers, podMetricsEndpoints } = named('PodMonitor', '').spec
      const found = templates().filter(({ metadata: { labels } }) => isOf(labels, workers.matchLabels))
      expect(found.map(({ spec }) => spec.containers[0].name)).toEqual(['worker'])
      for (const one of found) expect(portsOf(one)).toContain(podMetricsEndpoints[0].port)
      const { selector: portals, endpoints } = named('ServiceMonitor', '').spec
      const service = named('Service', '-portal')
      expect(isOf(service.metadata.labels, portals.matchLabels)).toBe(true)
      expect(service.spec.ports.map(({ name }: Manifest) => name)).toContain(endpoints[0].port)
      const token = variablesOf(podOf('-portal').spec).get('TREEOS_SCRAPE_TOKEN').valueFrom.secretKeyRef
      expect(token).toMatchObject(endpoints[0].authorization.credentials)
    })

    it('each has its own login of Postgres alone', () => {
      const logins = (end: string) =>
        [...variablesOf(podOf(end).spec)].flatMap(([name, { valueFrom }]) =>
          valueFrom?.secretKeyRef?.name === 'postgres' ? [[name, valueFrom.secretKeyRef.key]] : [],
        )
      expect(logins('-portal')).toEqual([['TREEOS_PORTAL_DATABASE_URL', 'portal-url']])
      expect(logins('-signer')).toEqual([['TREEOS_SEQUENCER_DATABASE_URL', 'sequencer-url']])
      expect(logins('-traces')).toEqual([['DATABASE_URL', 'people-url']])
    })

    it('the portal reads what was signed, and never the key that signs', () => {
      const mounts = podOf('-portal').spec.containers[0].volumeMounts as Manifest[]
      expect(mounts.filter(({ name }) => name === 'signed')).toEqual([
        { name: 'signed', mountPath: '/data/checkpoints', subPath: 'checkpoints', readOnly: true },
      ])
      expect(podOf('-signer').spec.containers[0].command).toContain('/data/checkpoints')
    })

    it('every setting of the portal that the docs name is reachable from values', () => {
      const docs = ['portal', 'webhooks', 'running'].map((page) =>
        readFileSync(join(HELM, `../../docs/${page}.md`), 'utf8'),
      )
      const [portal = '', webhooks = '', running = ''] = docs
      const settings = new Set([
        ...(portal.match(/TREEOS_\w+/g) ?? []),
        ...(webhooks.match(/TREEOS_\w+/g) ?? []),
        ...(running.match(/TREEOS_(?:PORTAL|SCRAPE|CHECKPOINT|WITNESS|SEQUENCER)\w+/g) ?? []),
      ])
      expect(settings.size).toBeGreaterThan(15)
      const set = new Set(
        ['portal', 'signer'].flatMap((end) => [...variablesOf(podOf(`-${end}`).spec).keys()]),
      )
      const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'))
      const { pattern, not } = schema.properties.env.propertyNames
      const unreachable = [...settings].filter(
        (name) => !set.has(name) && (!new RegExp(pattern).test(name) || not.enum.includes(name)),
      )
      expect(unreachable).toEqual(['TREEOS_PORTAL_PORT']) // that of the Service
      // a control: variables of values do reach the portal
      for (const name of ['TREEOS_ACTS_PER_MINUTE', 'TREEOS_FILE_BYTES_MAX']) expect(set).toContain(name)
    })

    it('what is secret of the portal is in no manifest, and cannot be a plain variable', () => {
      const { pattern, not } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')).properties
        .env.propertyNames
      for (const name of ['TREEOS_SCRAPE_TOKEN', 'TREEOS_SMTP_URL', 'TREEOS_PORTAL_OIDC_CLIENT_SECRET']) {
        expect(variablesOf(podOf('-portal').spec).get(name)).not.toHaveProperty('value')
        expect(new RegExp(pattern).test(name) && not.enum.includes(name)).toBe(true)
      }
    })
  })

  it('without an image of its own it names ours', () => {
    const { version } = JSON.parse(readFileSync(join(HELM, '../../apps/worker/package.json'), 'utf8'))
    const pods = podsOf(manifestsOf(answerTo(GOOD.replace(/^image: .*\n/m, ''))))
    expect(pods.map(({ containers }) => containers[0].image)).toEqual(pods.map(() => `treeos:${version}`))
  })

  it('numbers are written out', () => {
    const [worker] = podsOf(rendered('pooler.yaml'))
    expect(variablesOf(worker).get('TREEOS_KEEP_RUNS_SECONDS').value).toBe('7776000')
  })

  it('a pod has longer to end than its worker takes', () => {
    const source = readFileSync(join(HELM, '../../apps/worker/src/worker.ts'), 'utf8')
    const force = Number(/shutdownForceTime: '(\d+)s'/.exec(source)?.[1])
    const [worker] = podsOf(rendered('own-cluster.yaml'))
    expect(worker.terminationGracePeriodSeconds).toBeGreaterThan(force)
  })

  const GOOD = readFileSync(join(VALUES, 'own-cluster.yaml'), 'utf8')
  const answerTo = (values: string): Answer => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, values)
    return ask(CHART, file)[0] as Answer
  }

  it.each([
    ['a misspelt value', `${GOOD}replica: 3\n`, 'replica'],
    ['no Secret for Postgres', GOOD.replace('{ secret: postgres }', '{}'), 'secret'],
    ['mTLS without a Secret', GOOD.replace('secret: temporal, ', ''), 'secret'],
    ['an image without a tag', GOOD.replace('tag: "1.0.0"', 'tag: ""'), 'image'],
    ['a key as a plain variable', `${GOOD}env: { OPENAI_API_KEY: sk-1 }\n`, 'OPENAI_API_KEY'],
    [
      'the owner as a plain variable',
      `${GOOD}env: { TREEOS_OWNER_DATABASE_URL: x }\n`,
      'TREEOS_OWNER_DATABASE_URL',
    ],
    ['an Ingress without a host', `${GOOD}portal: { ingress: { enabled: true } }\n`, 'host'],
    ['mail without the Secret of its server', `${GOOD}portal: { mailFrom: a@example.org }\n`, 'secret'],
    ['a token of scrapers in clear', `${GOOD}env: { TREEOS_SCRAPE_TOKEN: x }\n`, 'TREEOS_SCRAPE_TOKEN'],
    [
      'headers of a collector in clear',
      `${GOOD}traces: { env: { OTEL_EXPORTER_OTLP_HEADERS: x } }\n`,
      'HEADERS',
    ],
    [
      'runs deleted before they are kept',
      GOOD.replace('{ address', '{ keepRunsSeconds: 60, address'),
      'histories',
    ],
  ])('control: %s fails the schema of values', (_what, values, says) => {
    expect(answerTo(values).error).toMatch(new RegExp(says))
  })

  const broken = (file: string, edit: (path: string) => void): Answer => {
    const copy = join(folder, 'broken')
    cpSync(CHART, join(copy, basename(CHART)), { recursive: true })
    edit(join(copy, basename(CHART), 'templates', file))
    const answer = ask(join(copy, basename(CHART)), join(VALUES, 'own-cluster.yaml'))[0] as Answer
    rmSync(copy, { recursive: true })
    return answer
  }
  const replaced = (from: string, to: string) => (path: string) => {
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(from)
    writeFileSync(path, text.replace(from, to))
  }

  it('control: a broken template is an error, of the lint too', () => {
    const answer = broken('disruption.yaml', (path) => appendFileSync(path, '{{ include "nothing" . }}\n'))
    expect(answer.error).toContain('nothing')
    expect(answer.lint.join()).toContain('nothing')
  })

  it.each([
    ['a misspelt field', '  maxUnavailable:', '  maxUnavailabel:', '/spec/maxUnavailabel is not a field'],
    [
      'a value of the wrong type',
      'selector:\n',
      'selector: worker\n  unused:\n',
      '/spec/selector: type {"type":"object"}',
    ],
    ['a kind that is gone', 'policy/v1', 'policy/v1beta9', 'has no policy/v1beta9 PodDisruptionBudget'],
  ])('control: %s is refused', async (_what, from, to, says) => {
    const answer = broken('disruption.yaml', replaced(from, to))
    const found = manifestsOf(answer).find(({ kind }) => kind === 'PodDisruptionBudget')
    expect((await refusalsOf(found)).join()).toContain(says)
  })
})
