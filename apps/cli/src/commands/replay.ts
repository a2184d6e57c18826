import { resolve } from 'node:path'
import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'
import { UsageError } from '../text/failure.ts'
import { parseNumber, readJsonFile, requireStance } from '../text/input.ts'
import { shownDifferences, shownRefolded, shownReplayed, shownVerified } from './shared/show.ts'

interface ReplayOptions extends InstanceOptions {
  readonly all?: boolean
  readonly from: 'chain' | 'temporal' | 'both'
}

interface WhatIfOptions extends InstanceOptions {
  readonly flow: string
  readonly since?: number
}

const MOMENT_NUMBER = { min: 1, max: 1_000_000_000, whole: true }

/** `treeos replay | whatif | verify | refold`: nothing here calls a model, and only refold writes. */
export function addReplayCommands(cli: Cli): void {
  addReplay(cli)
  addWhatIf(cli)
  addVerify(cli)
  addRefold(cli)
}

function addReplay(cli: Cli): void {
  cli
    .onInstance('replay [stance]', 'run every moment again from the record, and compare')
    .option('--all', 'of every being')
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
        const { loadReplay } = await import('../instance/replaying.ts')
        const { replay } = await loadReplay()
        const { withServices, loadedRegistry, withReality } = await import('../instance/connection.ts')
        const registry = await loadedRegistry()
        const { historiesFolder } = await import('@treeos/host')
        const { dataDirOf } = await import('../instance/data-dir.ts')
        const { from } = options
        const archive = historiesFolder(dataDirOf(options))
        const request = { beings, from, archive, onProgress: (line: string) => out.progress(line) }
        const replayed =
          from === 'chain'
            ? await withReality(options, (at) => replay({ ...at, registry, temporal: null }, request))
            : await withServices(options, (at) => replay({ ...at, registry }, request))
        out.value(replayed, shownReplayed)
        return replayed.identical ? 0 : 1
      }),
    )
}

function addWhatIf(cli: Cli): void {
  cli
    .onInstance(
      'whatif <stance>',
      'list the moments that another role flow would have changed; calls no model',
    )
    .requiredOption('--flow <file>', 'file with the edited flow in JSON; - reads standard input')
    .option('--since <n>', 'from this moment on', parseNumber('--since', MOMENT_NUMBER))
    .action(
      cli.run(async (out, stance: string, options: WhatIfOptions) => {
        const being = requireStance(stance)
        const flow = await readJsonFile(options.flow)
        const { whatIf } = await import('@treeos/replay')
        const { loadedRegistry, withReality } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const registry = await loadedRegistry()
        const differences = await withReality(options, async (at) => {
          await requireBeing(at, being)
          return whatIf({ ...at, registry }, { being, flow, since: options.since })
        })
        out.lines(differences, shownDifferences)
      }),
    )
}

interface VerifyOptions extends InstanceOptions {
  readonly checkpoints: string | boolean
  readonly bundle?: string
  readonly receipt?: string
  readonly key?: string
}

function addVerify(cli: Cli): void {
  cli
    .onInstance(
      'verify',
      'check every hash chain, all that is derived from them, and the signed checkpoints; or a bundle or a receipt, without services',
    )
    .option('--checkpoints <dir>', 'folder of the checkpoints (default: that of the instance)')
    .option('--no-checkpoints', 'without them: what was rewritten as a whole then passes')
    .option('--bundle <file>', 'check an audit bundle instead')
    .option('--receipt <file>', 'check a receipt instead')
    .option(
      '--key <vkey>',
      'verifier key of the checkpoints (default: those in their folder), or of whoever signed the bundle or receipt',
    )
    .action(
      cli.run(async (out, options: VerifyOptions) => {
        const { verifyFile } = await import('./shared/verify-file.ts')
        const ofFile = await verifyFile(out, options)
        if (ofFile !== null) return ofFile
        const { verifyAll } = await import('@treeos/proofs')
        const { FOLD } = await import('@treeos/world')
        const { withReality } = await import('../instance/connection.ts')
        const { compareLog } = await import('./shared/checkpoints.ts')
        const source = await checkpointsOf(options)
        const verified = await withReality(options, async (at) => {
          const { broken: ofLog, ...log } = await compareLog(at, source)
          const chains = await verifyAll(at.db, at.reality.id, FOLD)
          return { ...chains, ok: chains.ok && log.ok, broken: [...chains.broken, ...ofLog], log }
        })
        out.value(verified, shownVerified)
        return verified.ok ? 0 : 1
      }),
    )
}

async function checkpointsOf({ checkpoints, key, ...options }: VerifyOptions) {
  if (checkpoints === false) return null
  const { dataDirOf } = await import('../instance/data-dir.ts')
  const { checkpointsFolder } = await import('@treeos/local')
  const isNamed = typeof checkpoints === 'string'
  const folder = isNamed ? resolve(checkpoints) : checkpointsFolder(dataDirOf(options))
  return { folder, keys: key ?? null, isNamed }
}

function addRefold(cli: Cli): void {
  cli.onInstance('refold', 'make every row again from its facts, and repair rows that differ').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { refoldAll } = await import('@treeos/store')
      const { FOLD } = await import('@treeos/world')
      const { asOwner } = await import('../instance/connection.ts')
      const { rows, changed, erased } = await asOwner(options, (owner) => refoldAll(owner, FOLD))
      out.value({ rows, changed: changed.length, keys: changed, erased }, shownRefolded)
    }),
  )
}
