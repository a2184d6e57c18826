/**
 * What serves each command of somebody who is logged in to a portal. Whatever is not listed reads or writes
 * the database of an instance, and is refused.
 */

/** Served by the API. A group stands for its commands, unless one of them is listed by itself. */
const BY_API: readonly string[] = [
  'birth',
  'summon',
  'reply',
  'chat',
  'see',
  'do',
  'be',
  'end',
  'pause',
  'resume',
  'cancel',
  'inbox',
  'approvals',
  'approve',
  'deny',
  'budget',
  'signal',
  'space',
  'move',
  'role',
  'flow get',
  'flow set',
  'flow lint',
  'overlay',
  'beings',
  'operations',
  'extensions',
  'tools',
  'token list',
  'token revoke',
  'moments',
  'explain',
  'prompt',
  'why-not',
  'whatif',
  'replay',
  'tail',
  'search',
  'thread',
  'receipt',
  'erase',
  'inhabit',
  'trial',
  'hold',
  'person',
  'report',
  'whoami',
]

/** Works on this machine, on files, or on the login itself, and asks no reality as a being. */
const ALONE: readonly string[] = [
  '__complete',
  'login',
  'logout',
  'help',
  'completion',
  'up',
  'down',
  'status',
  'worker',
  'dev',
  'doctor',
  'logs',
  'prepare',
  'portal',
  'flow eval',
  'role compose',
  'verify-overlay',
]

/**
 * How somebody who is logged in finds out the same as a command that needs the database: those that read the
 * record as a whole, with its log and its key, or make another one of it.
 */
const INSTEAD: Readonly<Record<string, string>> = {
  verify:
    'The operator makes a bundle with `treeos export`, which `treeos verify --bundle FILE` checks anywhere',
  export: 'The operator makes the bundle; `treeos receipt` proves single moments of your beings',
  debug: '`treeos moments`, `treeos explain` and `treeos prompt` show the same of one moment each',
  'why-known': '`treeos search` finds who said a text that you may see',
  fork: 'Of a past moment `treeos whatif`, `treeos why-not` and `treeos trial` tell what would have been otherwise',
  diff: 'Both realities lie where the instance runs; `treeos whatif` compares moments with what another flow gives',
}

/** What to do in place of a command that needs the database; null where nothing takes its place. */
export const insteadOf = (path: string): string | null => INSTEAD[path] ?? null

export type ServedBy = 'api' | 'alone' | 'database'

const LISTED: readonly (readonly [ServedBy, readonly string[]])[] = [
  ['alone', ALONE],
  ['api', BY_API],
]

/**
 * @param path of a command: `role set`
 * @param options of it: what is checked as a file needs no reality
 */
export function servedBy(path: string, options: Readonly<Record<string, unknown>> = {}): ServedBy {
  const [group = ''] = path.split(' ')
  if (path === 'verify' && (options.bundle !== undefined || options.receipt !== undefined)) return 'alone'
  for (const name of [path, group]) for (const [by, listed] of LISTED) if (listed.includes(name)) return by
  return 'database'
}

/** All that is listed: a test fails where there is no such command. */
export const LISTED_COMMANDS: readonly string[] = [...BY_API, ...ALONE, ...Object.keys(INSTEAD)]
