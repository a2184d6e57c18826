import {
  asJson,
  type BeingRow,
  type CarryOut,
  defineOperation,
  type Json,
  type MatterRow,
  makeThing,
  type Outcome,
  TreeosError,
  type WakeView,
  type WorldReader,
  writeThing,
} from '@treeos/sdk'
import { z } from 'zod'
import { moved, type Profile, profileOf, recordOf, setProfilePart } from './child.ts'
import { GENESIS_CHARS_MAX, requireHarmless } from './genesis.ts'

/** Type of the things that files are kept as. A child holds its own files. */
export const FILE = 'lineage:file'
const PATH_CHARS_MAX = 120
const FILE_CHARS_MAX = 40_000
/** More of a result is left out of what the child sees next, and the result says so. */
const SHOWN_CHARS_MAX = 8000
const THOUGHT_CHARS_MAX = 4000

const path = z
  .string()
  .max(PATH_CHARS_MAX)
  .regex(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[A-Za-z0-9._/-]+$/)
  .describe('path of a file in your workspace, as in notes/today.md')

interface Using {
  readonly actor: BeingRow
  readonly wake: WakeView
  readonly carryOut: CarryOut
}

/**
 * What the use of a tool leaves: its result, which the child sees in its next moment, the first step of its life when it was
 * starting, and its heartbeat when it was asleep.
 */
async function used(
  { actor, wake, carryOut }: Using,
  tool: string,
  result: Json,
  { facts = [], ...more }: Partial<Outcome> = {},
): Promise<Outcome> {
  const profile = profileOf(actor)
  const last = { tool, result: shortened(result) }
  if (profile === null)
    return { facts: [...facts, setProfilePart(actor.name, 'last', last)], result, ...more }
  const { from, content } = wake
  const task =
    from === null || wake.inReplyTo !== null
      ? []
      : [setProfilePart(actor.name, 'task', { from, content: shortened(content) })]
  const begun =
    profile.state === 'starting' ? moved(actor.name, 'starting', 'healthy', `it used ${tool}`) : []
  const awake = profile.asleep && more.rests !== true
  if (awake) await beat(carryOut, actor.name, profile)
  return {
    facts: [
      ...facts,
      ...begun,
      ...task,
      ...(awake
        ? [setProfilePart(actor.name, 'asleep', false), recordOf(actor.name, 'lineage:awoke', {})]
        : []),
      setProfilePart(actor.name, 'last', last),
    ],
    result,
    ...more,
  }
}

/** Starts the heartbeat of a child. */
export const beat = (
  carryOut: CarryOut,
  name: string,
  { heartbeatSeconds }: Pick<Profile, 'heartbeatSeconds'>,
) =>
  carryOut({
    action: 'set-schedule',
    target: `@${name}`,
    args: { name: 'heartbeat', everySeconds: heartbeatSeconds, content: 'heartbeat' },
  })

/** Ends the heartbeat of a child, if it has one. */
export async function still(carryOut: CarryOut, child: BeingRow): Promise<void> {
  const { schedule } = child.qualities as { schedule?: Record<string, Json> }
  if (schedule?.heartbeat !== undefined)
    await carryOut({ action: 'delete-schedule', target: `@${child.name}`, args: { name: 'heartbeat' } })
}

function shortened(value: Json): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= SHOWN_CHARS_MAX) return value
  return `${text.slice(0, SHOWN_CHARS_MAX)}… (${text.length - SHOWN_CHARS_MAX} characters left out)`
}

/** The files that a being holds, by path. */
async function filesOf(world: WorldReader, being: string): Promise<Map<string, MatterRow>> {
  const ids = await world.matters(`@${being}`)
  await world.prefetch(ids.map((id) => `matter:${id}`))
  const rows = await Promise.all(ids.map((id) => world.matter(id)))
  return new Map(
    rows.flatMap((row): [string, MatterRow][] => {
      const at = (row?.content as { path?: unknown } | null | undefined)?.path
      return row === null || row.type !== FILE || typeof at !== 'string' ? [] : [[at, row]]
    }),
  )
}

const textOf = ({ content }: MatterRow): string => String((content as { text?: unknown }).text ?? '')

async function requireFile(world: WorldReader, being: string, at: string): Promise<MatterRow> {
  const files = await filesOf(world, being)
  const file = files.get(at)
  if (file !== undefined) return file
  const there = [...files.keys()].sort().slice(0, 20).join(', ')
  throw new TreeosError(
    'MATTER_NOT_FOUND',
    `@${being} has no file ${at}; it has ${there === '' ? 'none' : there}`,
  )
}

/** An id that no thing has yet, since an id is never used again. */
async function freeId(world: WorldReader, being: string, at: string): Promise<string> {
  const plain = `${being}-${at.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`.slice(0, 56).replace(/-+$/, '')
  for (let n = 1; n < 1000; n++) {
    const id = n === 1 ? plain : `${plain}-${n}`
    if ((await world.row(`matter:${id}`)) === null) return id
  }
  throw new TreeosError('RESOURCE_CONFLICT', `no id is free for a file ${at} of @${being}`)
}

const readFile = defineOperation({
  name: 'lineage:read-file',
  description: 'Reads a file of your workspace. You see its text in your next moment.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ path }),
  async decide(at) {
    const text = textOf(await requireFile(at.world, at.actor.name, at.args.path))
    return used(at, 'read_file', { path: at.args.path, text })
  },
})

const writeFile = defineOperation({
  name: 'lineage:write-file',
  description: 'Writes a file of your workspace; one of that path is replaced.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ path, text: z.string().max(FILE_CHARS_MAX).describe('the whole text') }),
  async decide(at) {
    const { actor, world, args } = at
    const content = { path: args.path, text: args.text }
    const old = (await filesOf(world, actor.name)).get(args.path)
    const facts =
      old === undefined
        ? makeThing(actor, { id: await freeId(world, actor.name, args.path), type: FILE, content })
        : [writeThing(old, content)]
    return used(at, 'write_file', { path: args.path, characters: args.text.length }, { facts })
  },
})

const listFiles = defineOperation({
  name: 'lineage:list-files',
  description: 'Lists the files of your workspace.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({}),
  async decide(at) {
    const files = await filesOf(at.world, at.actor.name)
    return used(at, 'list_files', { files: [...files.keys()].sort() })
  },
})

const execCommand = defineOperation({
  name: 'lineage:exec-command',
  description:
    'Runs a command in a sandbox without a network, if the operator turned that on. You see its output in your next moment.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    command: z.array(z.string().max(4000)).min(1).max(64).describe('the program and its arguments'),
    input: z.string().max(FILE_CHARS_MAX).optional().describe('its standard input'),
  }),
  effect: {
    timeoutSeconds: 60,
    attempts: 1,
    perform: async ({ args, run }) =>
      asJson(await run(args.command, args.input === undefined ? {} : { input: args.input })),
  },
  decide: (at) => used(at, 'exec_command', at.effect),
})

const runSkill = defineOperation({
  name: 'lineage:run-skill',
  description:
    'Takes up a skill: the file skills/NAME.md of yours or of your parent. You see its text in your next moment.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/)
      .describe('name of the skill'),
    input: z.string().max(4000).optional().describe('what it is used on'),
  }),
  async decide(at) {
    const { actor, world, args } = at
    const skill = `skills/${args.name}.md`
    const own = (await filesOf(world, actor.name)).get(skill)
    const file = own ?? (await requireFile(world, actor.parent ?? actor.name, skill))
    return used(at, 'run_skill', { skill: args.name, text: textOf(file), input: args.input ?? null })
  },
})

const inboxRead = defineOperation({
  name: 'lineage:inbox-read',
  description: 'Reads the message that you were woken for. You see it in your next moment.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({}),
  async decide(at) {
    const { from, content } = at.wake
    const task = profileOf(at.actor)?.task
    const message = from === null && task !== undefined ? task : { from, content }
    return used(at, 'inbox_read', asJson(message))
  },
})

const inboxReply = defineOperation({
  name: 'lineage:inbox-reply',
  description:
    'Answers whoever gave you your task, or else reports to your parent. It may ask the parent for another role with it.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    content: z.string().min(1).max(FILE_CHARS_MAX).describe('the answer or the report'),
    role: z.string().max(64).optional().describe('a role that you ask your parent for'),
  }),
  async decide(at) {
    const { actor, args, wake, carryOut } = at
    const profile = profileOf(actor)
    const isAnswer = wake.from !== null && wake.inReplyTo === null
    const to = isAnswer ? wake.from : (profile?.task?.from ?? actor.parent)
    if (to === null)
      throw new TreeosError(
        'INVALID_INPUT',
        'lineage:inbox-reply: nobody woke this moment, and it has no parent',
      )
    const sleeps = profile?.genesis.role.autoSleep === true
    if (sleeps) await still(carryOut, actor)
    const content = args.role === undefined ? args.content : { said: args.content, role: args.role }
    const facts = [
      ...(args.role === undefined
        ? []
        : [
            setProfilePart(actor.name, 'wants', args.role),
            recordOf(actor.name, 'lineage:role-requested', { role: args.role }),
          ]),
      ...(sleeps && profile?.asleep === false
        ? [
            setProfilePart(actor.name, 'asleep', true),
            recordOf(actor.name, 'lineage:slept', { reported: `@${to}` }),
          ]
        : []),
    ]
    const speech = isAnswer ? { reply: content } : { tell: { target: `@${to}`, content } }
    return used(at, 'inbox_reply', { to: `@${to}` }, { facts, ...speech, rests: true })
  },
})

const updateGenesisPrompt = defineOperation({
  name: 'lineage:update-genesis-prompt',
  description: 'Replaces the first part of your genesis prompt. The blocks that your parent set stay.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ prompt: z.string().max(GENESIS_CHARS_MAX).describe('the new text') }),
  decide(at) {
    const { actor, args } = at
    const profile = profileOf(actor)
    requireHarmless('prompt', args.prompt)
    const facts = [
      profile === null
        ? setProfilePart(actor.name, 'prompt', args.prompt)
        : setProfilePart(actor.name, 'genesis', asJson({ ...profile.genesis, prompt: args.prompt })),
      recordOf(actor.name, 'lineage:genesis-updated', { characters: args.prompt.length }),
    ]
    return used(at, 'update_genesis_prompt', { characters: args.prompt.length }, { facts })
  },
})

const logThought = defineOperation({
  name: 'lineage:log-thought',
  description: 'Records a thought.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ thought: z.string().min(1).max(THOUGHT_CHARS_MAX).describe('the thought') }),
  decide: (at) =>
    used(
      at,
      'log_thought',
      { thought: at.args.thought },
      {
        facts: [recordOf(at.actor.name, 'lineage:thought', { thought: at.args.thought })],
      },
    ),
})

const updateSoul = defineOperation({
  name: 'lineage:update-soul',
  description:
    'Replaces your soul: the file SOUL.md, who you are in your own words. You see it in each moment.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ text: z.string().max(SHOWN_CHARS_MAX).describe('the whole text') }),
  async decide(at) {
    const { actor, world, args } = at
    const content = { path: SOUL, text: args.text }
    const old = (await filesOf(world, actor.name)).get(SOUL)
    const made =
      old === undefined
        ? makeThing(actor, { id: await freeId(world, actor.name, SOUL), type: FILE, content })
        : [writeThing(old, content)]
    return used(at, 'update_soul', { characters: args.text.length }, { facts: made })
  },
})
const SOUL = 'SOUL.md'

export const toolOperations = [
  readFile,
  writeFile,
  listFiles,
  execCommand,
  runSkill,
  inboxRead,
  inboxReply,
  updateGenesisPrompt,
  logThought,
  updateSoul,
] as const

/** What a being of this extension sees of its work: its role, its task, its files, and what its last tool gave. */
export async function workOf(world: WorldReader, me: BeingRow): Promise<Json> {
  const profile = profileOf(me)
  const files = await filesOf(world, me.name)
  const soul = files.get(SOUL)
  const { last = null } = (me.qualities.lineage ?? {}) as { last?: Json }
  return asJson({
    ...(profile === null
      ? {}
      : { role: profile.role, state: profile.state, asleep: profile.asleep, task: profile.task ?? null }),
    files: [...files.keys()].sort(),
    soul: soul === undefined ? null : textOf(soul),
    last,
  })
}
