import { COGNITIONS, type Cognition, PRIORITIES, type Priority, parseAddress, parseCall } from '@treeos/core'
import { Option } from 'commander'
import type { ActingOptions, Cli } from '../cli.ts'
import { withServices } from '../instance/with-instance.ts'
import { ACT, codeFor, REPLY, requireDatabase, speaking } from '../served/acts.ts'
import { serve } from '../served/serve.ts'
import { SEE } from '../served/world.ts'
import { shownDone, shownReplied, shownSummoned } from '../show/acts.ts'
import { shownSeen } from '../show/world.ts'
import { argument, UsageError } from '../text/failure.ts'
import {
  contentOf,
  overlayOf,
  parseNumber,
  readGiven,
  requireJsonFile,
  requireObject,
  requireStance,
} from '../text/input.ts'
import { addOperation } from './control.ts'
import { acts, doing } from './shared/act.ts'

interface BirthOptions extends ActingOptions {
  readonly cognition: Cognition
  readonly role?: string
  readonly script?: string
  readonly connection?: string
  readonly flow?: string
  readonly home?: string
}

interface DoOptions extends ActingOptions {
  readonly outside?: true
  readonly args?: string
  readonly overlay?: string
}

interface SpeakingOptions extends ActingOptions {
  readonly wait?: number
  readonly outside?: true
}

interface SummonOptions extends SpeakingOptions {
  readonly priority?: Priority
  readonly thread?: string
  readonly channel?: string
  readonly overlay?: string
  readonly file?: readonly string[]
  readonly stream?: true
  /** false after `--no-reply` */
  readonly reply: boolean
}

const OUTSIDE = ['--outside', 'the words are of others: of a page, a message or an agent'] as const

const WAIT_SECONDS_MAX = 86_400
/** Of --stream without --wait. */
const STREAM_WAIT_SECONDS = 300

/** `treeos birth | summon | reply | see | do | end | be` */
export function addVerbs(cli: Cli): void {
  addBirth(cli)
  addSummon(cli)
  addReply(cli)

  cli.asBeing('see <address>', 'show a being or a space').action(
    cli.run(async (out, address: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      argument(() => parseAddress(address))
      out.value(await serve(options, SEE, { as, address }), shownSeen)
    }),
  )

  cli
    .asBeing('do <target> <operation>', 'perform an operation on a being or a space')
    .option('--args <json>', 'arguments of the operation, as a JSON object')
    .option(...OUTSIDE)
    .option(
      '--overlay <text>',
      'for a skill or a task: how the model is to approach it; - reads standard input',
    )
    .action(
      cli.run(async (out, target: string, operation: string, options: DoOptions) => {
        const args = requireObject(options.args, '--args')
        const call = doing(target, operation, args) // checked before anything is opened
        const overlay =
          options.overlay === undefined ? undefined : { content: await overlayOf(options.overlay) }
        const as = requireStance(options.as)
        const { outside } = options
        if (options.login !== undefined) {
          if (overlay !== undefined) requireDatabase(options, '--overlay of `do`')
          return out.value(await serve(options, ACT, { as, call, outside }), shownDone)
        }
        const { salt, ...done } = await withServices(options, async (at, { invoke }) =>
          invoke(
            { ...at, ...(await codeFor(options, call)) },
            { as, target, operation, args, overlay, outside },
          ),
        )
        out.value(salt === undefined ? done : { ...done, overlay: { salt } }, shownDone)
      }),
    )

  addOperation(cli, 'end', 'end-being', 'end a being for good; its past and its name stay')

  acts(
    cli,
    cli
      .asBeing('be <operation>', 'perform an operation that changes who exists, such as birth')
      .option('--args <json>', 'arguments of the operation, as a JSON object')
      .addOption(new Option('--payload <json>', 'the same as --args').hideHelp())
      .option(...OUTSIDE),
    (operation: string, { args, payload }: ActingOptions & { args?: string; payload?: string }) =>
      argument(() =>
        parseCall({
          verb: 'be',
          operation,
          ...(args === undefined ? {} : { args: requireObject(args, '--args') }),
          ...(payload === undefined ? {} : { payload: requireObject(payload, '--payload') }),
        }),
      ),
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
        const { cognition, script, home, flow, connection } = options
        const as = requireStance(options.as)
        const roleFlow = flow === undefined ? undefined : await requireJsonFile(flow)
        const given = { name, cognition, role: options.role, script, home, connection, roleFlow }
        const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
        const call = parseCall({ verb: 'be', operation: 'birth', args })
        const { result } = await serve(options, ACT, { as, call })
        const { being, stance, parent, role } = result as Record<
          'being' | 'stance' | 'parent' | 'role',
          string
        >
        out.value(
          { being, stance, parent, cognition, role },
          () => `${stance} was born, a child of ${parent}, with the role ${role}`,
        )
        if (role === CITIZEN && cognition !== 'human') out.progress(howToConfigure(stance))
      }),
    )
}

/**
 * Also the role of a being that is born without one: see CITIZEN of @treeos/world, which this command does
 * not load.
 */
const CITIZEN = 'citizen'

const howToConfigure = (stance: string): string =>
  `to configure it from inside: \`treeos inhabit ${stance}\`, and meanwhile \`treeos role set FILE --as ${stance}\`, ` +
  `\`treeos signal set NS.KEY JSON --as ${stance}\`, \`treeos flow set ${stance} FILE --as ${stance}\`, ` +
  `or \`treeos summon @role-manager … --as ${stance}\``

const waitOption = () =>
  new Option('--wait <seconds>', 'wait this long for the answer').argParser(
    parseNumber('--wait', { min: 0, max: WAIT_SECONDS_MAX, whole: false }),
  )

function addSummon(cli: Cli): void {
  cli
    .asBeing(
      'summon <stance> <text>',
      'speak to a being, and wait for its answer with --wait\nThe text - is read from standard input.',
    )
    .addOption(waitOption())
    .addOption(new Option('--priority <priority>', 'how urgent it is').choices(Object.keys(PRIORITIES)))
    .option('--thread <id>', 'the thread it continues, by its id: one that you have a part in')
    .option('--channel <name>', 'the name of the conversation it is said in; `thread show` lists its threads')
    .option(
      '--stream',
      'show on standard error what the model writes, while it does, and wait for the end; who may see its moments may',
    )
    .option(
      '--file <path>',
      'a picture or another file that the words bring, which becomes a thing of yours; may be repeated',
      (path: string, paths: string[] = []) => [...paths, path],
    )
    .option('--no-reply', 'announce: a being that is not a person sends no answer')
    .option(...OUTSIDE)
    .option(
      '--overlay <text>',
      'how the model is to approach this one call; it is not recorded; - reads it from standard input',
    )
    .action(
      cli.run(async (out, stance: string, text: string, options: SummonOptions) => {
        const { priority, thread, channel, reply, stream, overlay: named, outside } = options
        if (text === '-' && named === '-')
          throw new UsageError('only one of the text and the overlay can be read from standard input')
        const as = requireStance(options.as)
        const target = requireStance(stance, as)
        const content = await contentOf(text)
        const files = await Promise.all((options.file ?? []).map(readGiven))
        const overlay = named === undefined ? undefined : { content: await overlayOf(named) }
        const waitSeconds = options.wait ?? (stream === true ? STREAM_WAIT_SECONDS : null)
        const request = {
          ...{ target, content, files, as, priority, thread, channel, overlay, outside, waitSeconds },
          requireReply: reply,
          ...(reply ? {} : { expectReply: false }),
        }
        const shown = stream === true ? out : null
        out.value(await speaking(options, shown, (say) => say(request)), shownSummoned)
      }),
    )
}

function addReply(cli: Cli): void {
  cli
    .asBeing(
      'reply <correlation> <text>',
      'answer an entry of the inbox\nThe text - is read from standard input.',
    )
    .addOption(waitOption())
    .option(...OUTSIDE)
    .action(
      cli.run(async (out, correlation: string, text: string, options: SpeakingOptions) => {
        const as = requireStance(options.as)
        const content = await contentOf(text)
        const { wait = null, outside } = options
        const request = { correlation, content, as, outside, waitSeconds: wait }
        out.value(await serve(options, REPLY, request), shownReplied)
      }),
    )
}
