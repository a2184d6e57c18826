import { asJson, defineOperation, type JsonObject, makeMatter, TreeosError, writeMatter } from '@treeos/sdk'
import { z } from 'zod'
import { profileOf, recordOf, setProfilePart } from './child.ts'
import { roleName } from './custom-roles.ts'
import { FILE, filesOf, fileText, freeId, requireFile } from './files.ts'
import { GENESIS_BYTES_MAX, GENESIS_CHARS_MAX, requireHarmless } from './genesis.ts'
import { jsonBytes } from './text-size.ts'
import { SHOWN_CHARS_MAX, SOUL, still, used } from './work.ts'

const PATH_CHARS_MAX = 120
const FILE_CHARS_MAX = 40_000
const THOUGHT_CHARS_MAX = 4000

const path = z
  .string()
  .max(PATH_CHARS_MAX)
  .regex(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[A-Za-z0-9._/-]+$/)
  .describe('path of a file in your workspace, as in notes/today.md')

const readFile = defineOperation({
  name: 'lineage:read-file',
  description: 'Reads a file of your workspace. You see its text in your next moment.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({ path }),
  async decide(at) {
    const text = fileText(await requireFile(at.world, at.actor.name, at.args.path))
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
        ? makeMatter(actor, { id: await freeId(world, actor.name, args.path), type: FILE, content })
        : [writeMatter(old, content)]
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
    const parents = async () =>
      actor.parent === null ? undefined : (await filesOf(world, actor.parent)).get(skill)
    const file = own ?? (await parents()) ?? (await requireFile(world, actor.name, skill))
    return used(at, 'run_skill', { skill: args.name, text: fileText(file), input: args.input ?? null })
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
  answers: 'content',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    content: z.string().min(1).max(FILE_CHARS_MAX).describe('the answer or the report'),
    role: roleName.optional().describe('a role that you ask your parent for'),
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
    const isSent = !isAnswer || wake.expectReply
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
            recordOf(actor.name, 'lineage:slept', { reported: isSent ? `@${to}` : null }),
          ]
        : []),
    ]
    const result: JsonObject = isSent
      ? { to: `@${to}` }
      : { to: null, unsent: `@${to} wants no answer, so none was sent` }
    const speech = isAnswer ? { reply: content } : { tell: { target: `@${to}`, content } }
    return used(at, 'inbox_reply', result, { facts, ...(isSent ? speech : {}), rests: true })
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
    const bytes = jsonBytes(args.prompt)
    if (bytes > GENESIS_BYTES_MAX)
      throw new TreeosError(
        'PAYLOAD_TOO_LARGE',
        `the prompt has ${bytes} bytes; at most ${GENESIS_BYTES_MAX} are kept`,
      )
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
        ? makeMatter(actor, { id: await freeId(world, actor.name, SOUL), type: FILE, content })
        : [writeMatter(old, content)]
    return used(at, 'update_soul', { characters: args.text.length }, { facts: made })
  },
})

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
