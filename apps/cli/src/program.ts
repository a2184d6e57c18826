import { type Command, CommanderError } from 'commander'
import { Cli } from './cli.ts'
import { addApprovals } from './commands/approvals.ts'
import { addBeings } from './commands/beings.ts'
import { addBudget } from './commands/budget.ts'
import { addChat } from './commands/chat.ts'
import { addCheckpoint } from './commands/checkpoint.ts'
import { addCompletion, visible } from './commands/completion.ts'
import { addControl } from './commands/control.ts'
import { addDebug } from './commands/debug.ts'
import { addDev } from './commands/dev.ts'
import { addShadow } from './commands/dry-run.ts'
import { addEnv } from './commands/env.ts'
import { addErase } from './commands/erase.ts'
import { addEvaluate } from './commands/evaluate.ts'
import { addExtensions } from './commands/extensions.ts'
import { addFlow } from './commands/flow.ts'
import { addFork } from './commands/fork.ts'
import { addGather } from './commands/gather.ts'
import { addInbox } from './commands/inbox.ts'
import { addInhabit } from './commands/inhabit.ts'
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
import { addVouch } from './commands/trust.ts'
import { addVerbs } from './commands/verbs.ts'
import { addVerify } from './commands/verify.ts'
import { addWhyKnown } from './commands/why-known.ts'
import { addWorld } from './commands/world.ts'
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
    throw usageError(error, cli.program, args)
  }
}

/** The whole tree of commands. */
export function createCli(out: Output): Cli {
  const cli = new Cli(out)
  cli.describeNext('Running')
  addRunning(cli)
  addDev(cli)
  addLogs(cli)
  addEnv(cli)
  addPrepare(cli)
  addPortal(cli)
  addPeople(cli)
  cli.describeNext('Acting in the world')
  addVerbs(cli)
  addChat(cli)
  addControl(cli)
  addGather(cli)
  addInbox(cli)
  addApprovals(cli)
  addVouch(cli)
  addInhabit(cli)
  addMcp(cli)
  addToken(cli)
  addOutlet(cli)
  cli.describeNext('Making the world')
  addRole(cli)
  addFlow(cli)
  addSignal(cli)
  addSpace(cli)
  addShadow(cli)
  addOverlay(cli)
  addTools(cli)
  addWorld(cli)
  cli.describeNext('Looking back')
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
  addProofs(cli)
  addVerifyOverlay(cli)
  addEvaluate(cli)
  cli.describeNext('This command line')
  addCompletion(cli)
  cli.showExamples()
  return cli
}

function usageError(error: CommanderError, program: Command, args: readonly string[]): UsageError {
  const named = args
    .map((arg) => program.commands.find((command) => command.name() === arg))
    .find((command) => command !== undefined)
  const isGroup = named !== undefined && named.commands.length > 0
  const known = visible(isGroup ? named : program)
    .map((command) => command.name())
    .join(', ')
  const path = isGroup ? `treeos ${named.name()}` : 'treeos'
  if (error.code === 'commander.help') return new UsageError(`${path} takes a command: ${known}`)
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '')
  if (error.code === 'commander.unknownCommand') return new UsageError(`${message}; ${path} has ${known}`)
  return new UsageError(
    named === undefined || isGroup ? message : `${message}; see \`treeos ${named.name()} --help\``,
  )
}
