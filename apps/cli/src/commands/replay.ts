import { parseCall, TreeosError } from '@treeos/core'
import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'
import { requireLivingBeing, withReality, withRegistry, withServices } from '../instance/with-instance.ts'
import { requireDatabase } from '../served/acts.ts'
import { WHAT_IF, WHY_NOT_ACT, WHY_NOT_ROLE } from '../served/past.ts'
import { serve } from '../served/serve.ts'
import { shownChanges } from '../show/changes.ts'
import { shownDifferences, shownReplayed, shownRuledOtherwise } from '../show/proofs.ts'
import { argument, UsageError } from '../text/failure.ts'
import { momentNumber, readJsonFile, requireJson, requireStance } from '../text/input.ts'

interface ReplayOptions extends InstanceOptions {
  readonly all?: boolean
  readonly ifDue?: boolean
  readonly from: 'chain' | 'temporal' | 'both'
}

interface WhatIfOptions extends InstanceOptions {
  readonly flow?: string
  readonly space?: string
  readonly field?: string
  readonly value?: string
  readonly since?: number
}

interface WhyNotOptions extends InstanceOptions {
  readonly role?: string
  readonly act?: string
}

/** `treeos replay` */
export function addReplay(cli: Cli): void {
  cli
    .onInstance('replay [stance]', 'run every moment again from the record, and compare')
    .option('--all', 'of every being; what it finds is kept for `treeos doctor`')
    .option('--if-due', 'with --all: only if the last one ended TREEOS_REPLAY_HOURS ago (default: 24)')
    .addOption(
      new Option('--from <record>', 'the record to replay')
        .choices(['chain', 'temporal', 'both'])
        .default('both'),
    )
    .action(
      cli.run(async (out, stance: string | undefined, options: ReplayOptions) => {
        const isAll = options.all === true
        if (isAll === (stance !== undefined)) throw new UsageError('replay takes either a stance or --all')
        const beings = stance === undefined ? null : [requireStance(stance)]
        if (options.login !== undefined) {
          if (options.ifDue === true) requireDatabase(options, 'replay --if-due')
          if (options.from !== 'both') requireDatabase(options, 'replay --from')
          const { replayByApi } = await import('../served/replay.ts')
          const served = await replayByApi(options.login, out, beings?.[0])
          out.value(served, ({ more, ...found }) =>
            more === 0 ? shownReplayed(found) : `${shownReplayed(found)}\nand ${more} further differences`,
          )
          return served.identical ? 0 : 1
        }
        if (options.ifDue === true) {
          if (!isAll) throw new UsageError('--if-due is for replay --all')
          const { describeReplay } = await import('../health/replays.ts')
          const { findReplayOfNow } = await import('../instance/stored-replays.ts')
          const last = await withReality(options, ({ db }) => findReplayOfNow(db))
          if (last !== null) return out.value({ last }, ({ last }) => `not due: ${describeReplay(last)}`)
        }
        const { loadReplay, recording } = await import('../instance/stored-replays.ts')
        const { replay } = await loadReplay()
        const { historiesFolder } = await import('@treeos/host')
        const { instanceDir, withSettings } = await import('@treeos/local')
        const { loadedRegistry } = await import('../instance/connection.ts')
        const { from } = options
        const dataDir = instanceDir(options)
        const archive = historiesFolder(dataDir, withSettings(dataDir, process.env))
        const request = { beings, from, archive, onProgress: (line: string) => out.progress(line) }
        const registry = await loadedRegistry(options)
        const replayed =
          from === 'chain'
            ? await withReality(options, (at) =>
                recording(at, request, out, () => replay({ ...at, registry, temporal: null }, request)),
              )
            : await withServices(options, (at) =>
                recording(at, request, out, () => replay({ ...at, registry }, request)),
              )
        out.value(replayed, shownReplayed)
        return replayed.identical ? 0 : 1
      }),
    )
}

/** `treeos whatif`: calls no model, and writes nothing. */
export function addWhatIf(cli: Cli): void {
  cli
    .onInstance(
      'whatif <stance>',
      'list past moments that another flow or rule would have changed\nIt runs them again from the record, calls no model and writes nothing.',
    )
    .option('--flow <file>', 'file with the edited flow in JSON; - reads standard input')
    .option('--space <path>', 'the space whose rules are others')
    .option('--field <key>', 'where its rules are others, as in permissions.do')
    .option('--value <json>', 'the other rules, merged with those that are there')
    .option('--since <n>', 'from this moment on', momentNumber('--since'))
    .action(
      cli.run(async (out, stance: string, { flow: file, since, ...options }: WhatIfOptions) => {
        const being = requireStance(stance)
        const { space, field, value } = options
        if ((file === undefined) !== (space !== undefined && field !== undefined && value !== undefined))
          throw new UsageError('whatif takes either --flow, or --space, --field and --value')
        if (file === undefined) {
          requireDatabase(options, 'whatif --space')
          const rule = { space: space ?? '', field: field ?? '', value: requireJson(value ?? '', '--value') }
          const { whatIfRules } = await import('@treeos/replay')
          const otherwise = await withRegistry(options, async (at) => {
            await requireLivingBeing(at, being)
            return whatIfRules(at, { being, ...rule, since })
          })
          out.lines(otherwise, shownRuledOtherwise)
          return
        }
        const flow = await readJsonFile(file)
        out.lines(await serve(options, WHAT_IF, { being, flow, since }), shownDifferences)
      }),
    )
}

/** `treeos why-not`: what would have had to be otherwise. It calls no model and writes nothing. */
export function addWhyNot(cli: Cli): void {
  cli
    .onInstance(
      'why-not <stance>',
      'find the smallest change that would give a role, or allow a call\nIt looks at one past moment, calls no model and writes nothing.',
    )
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .option('--role <name>', 'the role: which part of its context would have to change')
    .option('--act <json>', 'the call of a verb: which permission would have to change')
    .action(
      cli.run(async (out, stance: string, n: number, { role, act, ...options }: WhyNotOptions) => {
        if ((role === undefined) === (act === undefined))
          throw new UsageError('why-not takes either --role or --act')
        const changes =
          role === undefined ? await ofAct(options, stance, n, act!) : await ofRole(options, stance, n, role)
        out.value({ changes }, shownChanges)
      }),
    )
}

async function ofRole(options: InstanceOptions, stance: string, n: number, role: string) {
  const answer = await serve(options, WHY_NOT_ROLE, { being: requireStance(stance), n, role })
  if (answer.changes !== null) return answer.changes
  throw new TreeosError('ROLE_UNAVAILABLE', answer.message, { reason: answer.never })
}

async function ofAct(options: InstanceOptions, stance: string, n: number, act: string) {
  const being = requireStance(stance)
  const call = argument(() => parseCall(requireJson(act, '--act')))
  const answer = await serve(options, WHY_NOT_ACT, { being, n, call })
  if (answer.changes !== null) return answer.changes
  throw new TreeosError(answer.code, `no permission would allow it: ${answer.message}`)
}
