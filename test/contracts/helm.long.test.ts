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
      expect([manifest.kind, await refusalsOf(manifest)]).toEqual([manifest.kind, []])
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
