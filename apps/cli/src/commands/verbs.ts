import {
  COGNITIONS,
  type Cognition,
  type Json,
  PRIORITIES,
  type Priority,
  parseCall,
  requireContent,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { Option } from 'commander'
import type { ActingOptions, Cli } from '../cli.ts'
import { parseNumber, readText, requireJsonFile, requireObject, requireStance } from '../text/input.ts'
import { shownDone, shownReplied, shownSeen, shownSummoned } from './shared/show.ts'

interface BirthOptions extends ActingOptions {
  readonly cognition: Cognition
  readonly role?: string
  readonly script?: string
  readonly connection?: string
  readonly flow?: string
  readonly home?: string
}

interface DoOptions extends ActingOptions {
  readonly args?: string
  readonly overlay?: string
}

interface SpeakingOptions extends ActingOptions {
  readonly wait?: number
}

interface SummonOptions extends SpeakingOptions {
  readonly priority?: Priority
  readonly thread?: string
  readonly channel?: string
  readonly overlay?: string
  readonly stream?: true
  /** false after `--no-reply` */
  readonly reply: boolean
}

const WAIT_SECONDS_MAX = 86_400
/** Of --stream without --wait. */
const STREAM_WAIT_SECONDS = 300

/** `treeos birth | summon | reply | see | do | be` */
export function addVerbs(cli: Cli): void {
  addBirth(cli)
  addSpeech(cli)

  cli.asBeing('see <address>', 'show a being or a space').action(
    cli.run(async (out, address: string, options: ActingOptions) => {
      const { see } = await import('@treeos/client/records')
      const { loadedRegistry, withReality } = await import('../instance/connection.ts')
      const registry = await loadedRegistry()
      const as = requireStance(options.as)
      const seen = await withReality(options, (at) => see({ ...at, registry }, as, address))
      out.value(seen, shownSeen)
    }),
  )

  cli
    .asBeing('do <target> <action>', 'perform an operation on a being or a space')
    .option('--args <json>', 'arguments of the operation, as a JSON object')
    .option(
      '--overlay <text>',
      'for a skill or a task: how the model is to approach it; - reads standard input',
    )
    .action(
      cli.run(async (out, target: string, action: string, options: DoOptions) => {
        const args = requireObject(options.args, '--args')
        parseCall({ verb: 'do', target, action, args }) // before anything is opened
        const content = options.overlay === undefined ? undefined : await overlayOf(options.overlay)
        const as = requireStance(options.as)
        const { invoke } = await import('@treeos/client')
        const { withServices } = await import('../instance/connection.ts')
        const overlay = content === undefined ? undefined : { content }
        const { salt, ...done } = await withServices(options, (at) =>
          invoke(at, { as, target, action, args, overlay }),
        )
        out.value(salt === undefined ? done : { ...done, overlay: { salt } }, shownDone)
      }),
    )

  cli.asBeing('end <stance>', 'end a being for good; its past and its name stay').action(
    cli.run(async (out, stance: string, options: ActingOptions) => {
      const target = stanceOf(requireStance(stance, requireStance(options.as)))
      const call = parseCall({ verb: 'do', target, action: 'end-being', args: {} })
      const { actAs } = await import('./shared/act-as.ts')
      out.value(await actAs(options, call), shownDone)
    }),
  )

  cli
    .asBeing('be <operation>', 'perform an operation that changes who exists, such as birth')
    .option('--payload <json>', 'arguments of the operation, as a JSON object')
    .action(
      cli.run(async (out, operation: string, options: ActingOptions & { payload?: string }) => {
        const payload = requireObject(options.payload, '--payload')
        const { actAs } = await import('./shared/act-as.ts')
        out.value(await actAs(options, parseCall({ verb: 'be', operation, payload })), shownDone)
      }),
    )
}

function addBirth(cli: Cli): void {
  cli
    .asBeing('birth <name>', 'create a being, as a child of the one that acts')
    .addOption(new Option('--cognition <kind>', 'who decides').choices([...COGNITIONS]).makeOptionMandatory())
    .option('--role <role>', 'its default role')
    .option('--script <script>', 'for a scripted being: the script that decides')
    .option('--flow <file>', 'file with its role flow in JSON; - reads standard input')
    .option('--home <path>', 'the space where it starts')
    .option('--connection <name>', 'for an llm being: its model connection, as TREEOS_MODELS names it')
    .action(
      cli.run(async (out, name: string, options: BirthOptions) => {
        const { cognition, role, script, home, flow, connection } = options
        const payload = {
          name,
          cognition,
          ...(role === undefined ? {} : { role }),
          ...(script === undefined ? {} : { script }),
          ...(home === undefined ? {} : { home }),
          ...(connection === undefined ? {} : { connection }),
          ...(flow === undefined ? {} : { roleFlow: await requireJsonFile(flow) }),
        }
        const { actAs } = await import('./shared/act-as.ts')
        const { result } = await actAs(options, parseCall({ verb: 'be', operation: 'birth', payload }))
        const {
          being,
          stance,
          parent,
          role: worn,
        } = result as Record<'being' | 'stance' | 'parent' | 'role', string>
        out.value(
          { being, stance, parent, cognition, role: worn },
          () => `${stance} was born, a child of ${parent}, with the role ${worn}`,
        )
        if (worn === CITIZEN && cognition !== 'human') out.progress(howToConfigure(stance))
      }),
    )
}

/** Also the role of a being that is born without one: see CITIZEN of @treeos/world, which this command does not load. */
const CITIZEN = 'citizen'

const howToConfigure = (stance: string): string =>
  `to configure it from inside: treeos inhabit ${stance}, and meanwhile treeos role set FILE --as ${stance}, ` +
  `treeos signal set NS.KEY JSON --as ${stance}, treeos flow set ${stance} FILE --as ${stance}, ` +
  `or treeos summon @role-manager … --as ${stance}`

function addSpeech(cli: Cli): void {
  const wait = () =>
    new Option('--wait <seconds>', 'wait this long for the answer').argParser(
      parseNumber('--wait', { min: 0, max: WAIT_SECONDS_MAX, whole: false }),
    )

  cli
    .asBeing('summon <stance> <text>', 'speak to a being; - reads the text from standard input')
    .addOption(wait())
    .addOption(new Option('--priority <priority>', 'how urgent it is').choices(Object.keys(PRIORITIES)))
    .option('--thread <id>', 'the thread it continues, by its id: one that you have a part in')
    .option('--channel <name>', 'the name of the conversation it is said in; `thread show` lists its threads')
    .option(
      '--stream',
      'show on standard error what the model writes, while it does, and wait for the end; who may see its moments may',
    )
    .option('--no-reply', 'announce: a being that is not a person sends no answer')
    .option(
      '--overlay <text>',
      'how the model is to approach this one call; it is not recorded; - reads it from standard input',
    )
    .action(
      cli.run(async (out, stance: string, text: string, options: SummonOptions) => {
        if (text === '-' && options.overlay === '-')
          throw new TreeosError(
            'INVALID_INPUT',
            'only one of the text and the overlay can be read from standard input',
          )
        const { priority, thread, channel, reply } = options
        const as = requireStance(options.as)
        const target = requireStance(stance, as)
        const content = await contentOf(text)
        const overlay =
          options.overlay === undefined ? undefined : { content: await overlayOf(options.overlay) }
        const { summon } = await import('@treeos/client')
        const { withServices } = await import('../instance/connection.ts')
        const isStreamed = options.stream === true
        const waitSeconds = options.wait ?? (isStreamed ? STREAM_WAIT_SECONDS : null)
        const request = {
          target,
          content,
          as,
          priority,
          thread,
          channel,
          overlay,
          waitSeconds,
          requireReply: reply,
          ...(reply ? {} : { expectReply: false }),
        }
        const summoned = await withServices(options, async (at) => {
          if (!isStreamed) return summon(at, request)
          const { withWords } = await import('./shared/words.ts')
          return withWords(out, options, at, request, (onSent) => summon(at, { ...request, onSent }))
        })
        out.value(summoned, shownSummoned)
      }),
    )

  cli
    .asBeing(
      'reply <correlation> <text>',
      'answer an entry of the inbox; - reads the text from standard input',
    )
    .addOption(wait())
    .action(
      cli.run(async (out, correlation: string, text: string, options: SpeakingOptions) => {
        const as = requireStance(options.as)
        const content = await contentOf(text)
        const { reply } = await import('@treeos/client')
        const { withServices } = await import('../instance/connection.ts')
        const request = { correlation, content, as, waitSeconds: options.wait ?? null, requireReply: true }
        out.value(await withServices(options, (at) => reply(at, request)), shownReplied)
      }),
    )
}

/** Reads longer texts from standard input: an argument holds at most 128 KiB on Linux, and no NUL. */
export async function contentOf(text: string): Promise<Json> {
  return requireContent(text === '-' ? await readText('-') : text, 'content')
}

/** The arguments of a process can be seen by others on its machine, so an overlay may come by standard input. */
export const overlayOf = async (text: string): Promise<string> =>
  text === '-' ? (await readText('-')).replace(/\r?\n$/, '') : text
