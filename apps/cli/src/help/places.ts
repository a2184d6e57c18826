/**
 * Where the help lists each command: on the first page or under one topic. A test fails when a command has no
 * place, or two.
 */

/** A place under a heading. A group stands for its commands, but for those that have a place of their own. */
export interface HelpSection {
  readonly heading: string
  /** paths: `summon`, `role`, `flow eval` */
  readonly commands: readonly string[]
}

/** Commands of every day. */
export const FIRST_PAGE: readonly HelpSection[] = [
  { heading: 'Start and stop', commands: ['up', 'down', 'status', 'doctor', 'logs'] },
  {
    heading: 'Talk and answer',
    commands: ['summon', 'chat', 'inbox', 'reply', 'approvals', 'approve', 'deny'],
  },
  { heading: 'Act', commands: ['birth', 'see', 'do', 'inhabit'] },
  { heading: 'Shape the world', commands: ['role', 'flow', 'space', 'signal'] },
  { heading: 'Look back', commands: ['beings', 'moments', 'explain', 'prompt', 'thread'] },
]

export const TOPICS = {
  audit: {
    about: 'what happened, and how to prove it to somebody else',
    commands: [
      'verify',
      'replay',
      'debug',
      'tail',
      'search',
      'why-known',
      'trust',
      'receipt',
      'export',
      'checkpoint',
      'verify-overlay',
      'erase',
      'hold',
      'person',
      'report',
      'refold',
    ],
  },
  'what-if': {
    about: 'what another role, flow, rule or model would have changed',
    commands: [
      'flow eval',
      'role compose',
      'why-not',
      'whatif',
      'trial',
      'dry-run',
      'redteam',
      'fork',
      'diff',
    ],
  },
  programs: {
    about: 'programs, tools and models from outside',
    commands: ['mcp', 'token', 'tools', 'secret', 'outlet', 'hook', 'operations', 'extensions', 'extension'],
  },
  making: {
    about: 'what a world is made of, beside roles, flows and spaces',
    commands: ['be', 'end', 'move', 'gather', 'budget', 'overlay', 'world'],
  },
  running: {
    about: 'instances, workers and who signs in',
    commands: [
      'worker',
      'dev',
      'prepare',
      'restored',
      'env',
      'portal',
      'link',
      'people',
      'login',
      'logout',
      'whoami',
      'pause',
      'resume',
      'cancel',
      'accept-difference',
      'traces',
      'completion',
      'help',
    ],
  },
} as const satisfies Readonly<
  Record<string, { readonly about: string; readonly commands: readonly string[] }>
>
export type Topic = keyof typeof TOPICS

export const TOPIC_NAMES = Object.keys(TOPICS) as readonly Topic[]

export const isTopic = (word: string): word is Topic => Object.hasOwn(TOPICS, word)
