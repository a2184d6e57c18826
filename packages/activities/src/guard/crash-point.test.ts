import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const program = `
  const { crashPoint } = await import(${JSON.stringify(new URL('./crash-point.ts', import.meta.url).href)})
  for (let i = 1; i <= 3; i++) {
    crashPoint('open:after-claim')
    crashPoint('stamp:after-append')
    process.stdout.write(String(i))
  }`

function run(env: NodeJS.ProcessEnv): { signal: string | null; said: string } {
  const { PATH } = process.env
  const { signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH, ...env },
  })
  return { signal, said: stdout.toString() }
}

it('a process dies at the named point, the given time it comes by', () => {
  const env = { TREEOS_TEST_BUILD: '1', TREEOS_CRASH_AT: 'stamp:after-append:2' }
  expect(run(env)).toEqual({ signal: 'SIGKILL', said: '1' })
})

it.each([
  { TREEOS_CRASH_AT: 'stamp:after-append:2' },
  { TREEOS_TEST_BUILD: '1' },
  { TREEOS_TEST_BUILD: '0', TREEOS_CRASH_AT: 'stamp:after-append:2' },
  { TREEOS_TEST_BUILD: '1', TREEOS_CRASH_AT: 'stamp:after-append' },
  { TREEOS_TEST_BUILD: '1', TREEOS_CRASH_AT: 'stamp:after-append:0' },
  { TREEOS_TEST_BUILD: '1', TREEOS_CRASH_AT: 'ring:before:1' },
])('nothing dies with %j', (env) => {
  expect(run(env)).toEqual({ signal: null, said: '123' })
})
