import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const IMAGE = join(import.meta.dirname, '../../infra/image')
const text = readFileSync(join(IMAGE, 'Dockerfile'), 'utf8')

/** The instructions of a Dockerfile, each on one line, without comments. */
const instructionsIn = (file: string): { readonly word: string; readonly rest: string }[] =>
  file
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ word: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }))

/** What makes an image that one cannot trust, or that does not stop. */
function faultsOf(file: string): string[] {
  const instructions = instructionsIn(file)
  const of = (word: string) => instructions.filter((one) => one.word === word).map(({ rest }) => rest)
  const last = file.slice(file.lastIndexOf('\nFROM '))
  const lastOf = (word: string) =>
    instructionsIn(last)
      .filter((one) => one.word === word)
      .map(({ rest }) => rest)
      .at(-1)
  const [base = ''] = of('ARG')
  return [
    ...(/^BASE=node:\d+\.\d+\.\d+-[a-z-]+@sha256:[0-9a-f]{64}$/.test(base) ? [] : ['the base is not pinned']),
    ...of('FROM').flatMap((from) => (/^\$\{BASE\}( AS \w+)?$/.test(from) ? [] : [`another base: ${from}`])),
    ...of('ADD').map((rest) => `ADD fetches and unpacks: ${rest}`),
    ...[...of('ARG'), ...of('ENV')].flatMap((rest) =>
      /\b\w*(TOKEN|PASSWORD|SECRET|API_KEY|DATABASE_URL)\w*=?/.test(rest) ? [`a secret: ${rest}`] : [],
    ),
    ...of('RUN').flatMap((rest) => (/https?:|curl|wget|apt-get/.test(rest) ? [`it fetches: ${rest}`] : [])),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(lastOf('USER') ?? '') ? [] : ['it runs as root, or as a name']),
    ...['CMD', 'ENTRYPOINT'].flatMap((word) =>
      (lastOf(word) ?? '').startsWith('[') ? [] : [`${word} is run by a shell, which keeps signals`],
    ),
    ...(/^(--\S+ )*CMD \["/.test(lastOf('HEALTHCHECK') ?? '') ? [] : ['no check of its health']),
  ]
}

it('the Dockerfile pins its base, is not root, holds no secret and gets its signals', () => {
  expect(faultsOf(text)).toEqual([])
})

it.each([
  ['@sha256:', ' #', 'the base is not pinned'],
  ['\nFROM $', '\nFROM node:24 AS other\nFROM $', 'another base: node:24'],
  ['COPY packed /packed', 'ADD https://example.org/packed.tgz /packed', 'ADD fetches and unpacks'],
  ['ARG REVISION=unknown', 'ARG NPM_TOKEN', 'a secret: NPM_TOKEN'],
  ['HOME=/tmp', 'HOME=/tmp OPENAI_API_KEY=sk-1', 'a secret: '],
  ['RUN node /slim.mjs', 'RUN curl https://example.org/x | sh', 'it fetches'],
  ['USER 10001:10001', 'USER root', 'it runs as root, or as a name'],
  ['CMD ["node", "--input-type', 'CMD node ["--input-type', 'CMD is run by a shell'],
  ['HEALTHCHECK', 'HEALTHCHECK NONE #', 'no check of its health'],
])('control: %s → %s is a fault', (from, to, says) => {
  expect(text).toContain(from)
  expect(faultsOf(text.replace(from, to)).join()).toContain(says)
})

it('the user is that of the Helm chart', () => {
  const pod = readFileSync(join(IMAGE, '../helm/treeos/templates/_helpers.tpl'), 'utf8')
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(text) ?? []
  expect(pod).toContain(`runAsUser: ${user}\nrunAsGroup: ${group}\n`)
})

it('only what is named comes into the build', () => {
  const [first, ...others] = readFileSync(join(IMAGE, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(first).toBe('*')
  expect(others).toEqual(['!packed/treeos-*.tgz', '!slim.mjs', '!healthy.mjs'])
  for (const file of readdirSync(IMAGE).filter((name) => name.endsWith('.mjs')))
    expect(text, file).toContain(file)
})
