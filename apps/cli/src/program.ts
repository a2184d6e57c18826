import { type Command, CommanderError } from 'commander'
import { Cli } from './cli.ts'
import { addApprovals } from './commands/approvals.ts'
import { addAudit } from './commands/audit.ts'
import { addBeings } from './commands/beings.ts'
import { addBudget } from './commands/budget.ts'
import { addChat } from './commands/chat.ts'
import { addCheckpoint } from './commands/checkpoint.ts'
import { addCompletion } from './commands/completion.ts'
import { addControl } from './commands/control.ts'
import { addDebug } from './commands/debug.ts'
import { addDev } from './commands/dev.ts'
import { addDryRun } from './commands/dry-run.ts'
import { addEnv } from './commands/env.ts'
import { addErase } from './commands/erase.ts'
import { addEvaluate } from './commands/evaluate.ts'
import { addExtensions } from './commands/extensions.ts'
import { addFlow } from './commands/flow.ts'
import { addFork } from './commands/fork.ts'
import { addGather } from './commands/gather.ts'
import { addHelp } from './commands/help.ts'
import { addInbox } from './commands/inbox.ts'
import { addInhabit } from './commands/inhabit.ts'
import { addLogin } from './commands/login.ts'
import { addLogs } from './commands/logs.ts'
import { addMcp } from './commands/mcp.ts'
import { addMoments } from './commands/moments.ts'
import { addOutlet } from './commands/outlet.ts'
import { addOverlay, addVerifyOverlay } from './commands/overlay.ts'
import { addPeople } from './commands/people.ts'
import { addPortal } from './commands/portal.ts'
import { addPrepare } from './commands/prepare.ts'
import { addProofs } from './commands/proofs.ts'
import { addRedteam } from './commands/redteam.ts'
import { addReplay, addWhatIf, addWhyNot } from './commands/replay.ts'
import { addRestored } from './commands/restores.ts'
import { addRole } from './commands/role.ts'
import { addRunning } from './commands/running.ts'
import { addSearch } from './commands/search.ts'
import { addSignal } from './commands/signal.ts'
import { addSpace } from './commands/space.ts'
import { addTail } from './commands/tail.ts'
import { addThread } from './commands/thread.ts'
import { addToken } from './commands/token.ts'
import { addTools } from './commands/tools.ts'
import { addTraces } from './commands/traces.ts'
import { addTrial } from './commands/trial.ts'
import { addTrust } from './commands/trust.ts'
import { addVerbs } from './commands/verbs.ts'
import { addVerify } from './commands/verify.ts'
import { addWhyKnown } from './commands/why-known.ts'
import { addWorld } from './commands/world.ts'
import { visibleIn } from './help/pages.ts'
import { UsageError } from './text/failure.ts'
import type { ExitStatus, Output } from './text/output.ts'

/**
 * Parses a command line and runs it.
 * @throws {UsageError} for a wrong command line; whatever the command throws
 */
export async function runProgram(args: readonly string[], out: Output): Promise<ExitStatus> {
  const cli = createCli(out)
  try {
    await cli.program.parseAsync(args, { from: 'user' })
    return cli.status
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0 // help was asked for, and printed
    if (error.code === 'commander.help' && !out.json && namedIn(cli.program, args) === undefined) {
      process.stderr.write(cli.program.helpInformation({ error: true }))
      return 2
    }
    throw usageError(error, cli.program, args)
  }
}

/** The whole tree of commands. Where the help lists them: `help/places.ts`. */
export function createCli(out: Output): Cli {
  const cli = new Cli(out)
  addRunning(cli)
  addDev(cli)
  addLogs(cli)
  addEnv(cli)
  addPrepare(cli)
  addRestored(cli)
  addPortal(cli)
  addPeople(cli)
  addLogin(cli)
  addVerbs(cli)
  addChat(cli)
  addControl(cli)
  addGather(cli)
  addInbox(cli)
  addApprovals(cli)
  addTrust(cli)
  addInhabit(cli)
  addMcp(cli)
  addToken(cli)
  addOutlet(cli)
  addRole(cli)
  addFlow(cli)
  addSignal(cli)
  addSpace(cli)
  addDryRun(cli)
  addOverlay(cli)
  addTools(cli)
  addWorld(cli)
  addMoments(cli)
  addWhyNot(cli)
  addWhyKnown(cli)
  addDebug(cli)
  addTail(cli)
  addBeings(cli)
  addBudget(cli)
  addExtensions(cli)
  addThread(cli)
  addSearch(cli)
  addReplay(cli)
  addWhatIf(cli)
  addTrial(cli)
  addRedteam(cli)
  addVerify(cli)
  addFork(cli)
  addCheckpoint(cli)
  addTraces(cli)
  addErase(cli)
  addAudit(cli)
  addProofs(cli)
  addVerifyOverlay(cli)
  addEvaluate(cli)
  addCompletion(cli)
  addHelp(cli)
  cli.showExamples()
  return cli
}

const namedIn = (program: Command, args: readonly string[]): Command | undefined =>
  args
    .map((arg) => program.commands.find((command) => command.name() === arg))
    .find((command) => command !== undefined)

function usageError(error: CommanderError, program: Command, args: readonly string[]): UsageError {
  const named = namedIn(program, args)
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '')
  if (named === undefined) {
    const listed = '`treeos --help` lists those of every day, `treeos help TOPIC` the others'
    if (error.code === 'commander.help') return new UsageError(`treeos takes a command; ${listed}`)
    return new UsageError(error.code === 'commander.unknownCommand' ? `${message}; ${listed}` : message)
  }
  if (named.commands.length === 0) return new UsageError(`${message}; see \`treeos ${named.name()} --help\``)
  const known = visibleIn(named)
    .map((command) => command.name())
    .join(', ')
  if (error.code === 'commander.help')
    return new UsageError(`treeos ${named.name()} takes a command: ${known}`)
  if (error.code === 'commander.unknownCommand')
    return new UsageError(`${message}; treeos ${named.name()} has ${known}`)
  return new UsageError(message)
}
