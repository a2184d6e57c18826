/** Where a test may have a worker killed: the places between two effects, in the order a moment comes by them. */
export const CRASH_POINTS = [
  'begin:after-generation',
  'begin:after-supersede',
  'open:after-claim',
  'open:after-record',
  'think:before-mind',
  'think:after-mind',
  'think:after-decision',
  'effect:held',
  'effect:before',
  'effect:after-perform',
  'effect:after-result',
  'stamp:before-append',
  'stamp:after-append',
  'ring:before',
  'ring:after',
  'stamp:returned',
] as const
export type CrashPoint = (typeof CRASH_POINTS)[number]

/** `name:hit` in TREEOS_CRASH_AT, and only where TREEOS_TEST_BUILD says that this is a test. */
const armed = process.env.TREEOS_TEST_BUILD === '1' ? read(process.env.TREEOS_CRASH_AT) : null

function read(text: string | undefined): { readonly name: string; left: number } | null {
  const [, name = '', hit = ''] = /^([a-z]+:[a-z-]+):([1-9]\d*)$/.exec(text ?? '') ?? []
  return name === '' ? null : { name, left: Number(hit) }
}

/** Kills this process when a test has asked for its death here; else does nothing. */
export function crashPoint(name: CrashPoint): void {
  if (armed === null || armed.name !== name) return
  armed.left -= 1
  if (armed.left === 0) process.kill(process.pid, 'SIGKILL')
}

/** As `crashPoint`, once the caller has returned: what it gave back is on its way to Temporal, and no further. */
export function crashPointLater(name: CrashPoint): void {
  if (armed !== null) setTimeout(() => crashPoint(name), 0)
}
