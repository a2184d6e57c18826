/** Places at which a test may kill a worker, in the order in which a moment reaches them. */
export const CRASH_POINTS = [
  'begin:after-generation',
  'begin:after-supersede',
  'open:after-claim',
  'open:held',
  'open:after-record',
  'live:after-mind',
  'live:after-record',
  'live:handed-over',
  'think:joined',
  'think:before-mind',
  'think:after-mind',
  'think:after-decision',
  'effect:recorded',
  'effect:before',
  'effect:after-perform',
  'effect:after-result',
  'stamp:before-append',
  'stamp:after-append',
  'ring:before',
  'ring:after',
  'stamp:returned',
  'live:next-wake',
] as const
export type CrashPoint = (typeof CRASH_POINTS)[number]

/** Set by TREEOS_CRASH_AT, `name:hit`, when TREEOS_TEST_BUILD is 1. */
const armed = process.env.TREEOS_TEST_BUILD === '1' ? readCrashPoint(process.env.TREEOS_CRASH_AT) : null

function readCrashPoint(text: string | undefined): { readonly name: string; left: number } | null {
  const [, name = '', hit = ''] = /^([a-z]+:[a-z-]+):([1-9]\d*)$/.exec(text ?? '') ?? []
  return name === '' ? null : { name, left: Number(hit) }
}

/** Kills this process when the test asked for a kill at this place and hit; otherwise does nothing. */
export function crashPoint(name: CrashPoint): void {
  if (armed === null || armed.name !== name) return
  armed.left -= 1
  if (armed.left === 0) process.kill(process.pid, 'SIGKILL')
}

/** Like `crashPoint`, but after the caller has returned: its result is on its way to Temporal. */
export function crashPointLater(name: CrashPoint): void {
  if (armed !== null) setTimeout(() => crashPoint(name), 0)
}
