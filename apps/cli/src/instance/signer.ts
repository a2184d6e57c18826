import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TreeosError, textOfBytes } from '@treeos/core'
import { acquireLock, LockedError, onEnding } from '@treeos/local'
import {
  checkpointRepeatedly,
  cosignRepeatedly,
  failWitnessing,
  forgetWitnessing,
  logOrigin,
  readConsistencyProof,
  Signer,
  type SigningResult,
  WitnessClient,
} from '@treeos/proofs'
import type { StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import type { InstanceOptions } from '../cli.ts'
import { errorReporter } from '../text/error-reporter.ts'
import { messageOf } from '../text/failure.ts'
import type { ExitStatus, Output } from '../text/output.ts'
import { asSequencer } from './connection.ts'
import { signerFolder, signerPlace, witnessesFile } from './signed-checkpoints.ts'

const SECONDS = 1
const WITNESS_SECONDS = 5

interface FollowOptions extends InstanceOptions {
  readonly seconds?: number
  readonly supervised?: boolean
}

/** Brings the log up to date and signs checkpoints into a folder, until a signal. */
export async function signLog(
  options: FollowOptions,
  { dataDir, folder, out }: { dataDir: string; folder: string; out: Output },
): Promise<ExitStatus> {
  const ending = onEnding({ watch: options.supervised !== true })
  const stopping = new AbortController()
  const ended = ending.promise.then(() => stopping.abort())
  const lock = await lockSigner(dataDir)
  const onError = errorReporter(out, 'checkpoints')
  try {
    await asSequencer(options, async ({ db, reality }) => {
      const signer = new Signer(signerPlace(dataDir, { origin: logOrigin(reality.id), folder }))
      /** what was told last: a fault that lasts is told once */
      let told = ''
      const witnessed = askWitnesses(dataDir, { db, signer, folder, signal: stopping.signal, out })
      await checkpointRepeatedly(db, signer, {
        seconds: options.seconds ?? (Number(process.env.TREEOS_CHECKPOINT_SECONDS) || SECONDS),
        signal: stopping.signal,
        onRound(signed) {
          const fault = signed.status === 'refused' ? signerRefusal(signed) : ''
          if (fault !== told && fault !== '') out.progress(fault)
          told = fault
          if (signed.status === 'signed' && options.supervised !== true)
            out.value({ size: signed.size }, ({ size }) => `signed ${size} entries`)
        },
        onError(error) {
          const fault = String(error)
          if (fault !== told) onError('a round', error)
          told = fault
        },
      })
      await witnessed
    })
    await ended
    return 0
  } finally {
    lock.release()
    ending.release()
  }
}

interface SigningRequest {
  readonly db: Kysely<StoreDb>
  readonly signer: Signer
  readonly folder: string
  readonly signal: AbortSignal
  readonly out: Output
}

/**
 * Has the witnesses of TREEOS_WITNESSES cosign what is signed. What goes wrong there is told, and stops no
 * signing.
 */
async function askWitnesses(
  dataDir: string,
  { db, signer, folder, signal, out }: SigningRequest,
): Promise<void> {
  const file = witnessesFile(dataDir)
  const { TREEOS_WITNESSES: policyFile, TREEOS_WITNESS_SECONDS: seconds } = process.env
  if (!policyFile) return forgetWitnessing(file)
  let cosigning: WitnessClient
  try {
    cosigning = new WitnessClient(textOfBytes(readFileSync(policyFile)), { file, folder })
  } catch (error) {
    const why = `no witness is asked: TREEOS_WITNESSES: ${messageOf(error)}`
    out.progress(why)
    return failWitnessing(file, why)
  }
  const onError = errorReporter(out, 'witnesses')
  /** what was told last: a fault that lasts is told once */
  let told = ''
  await cosignRepeatedly(cosigning, {
    seconds: Number(seconds) || WITNESS_SECONDS,
    signal,
    newest: () => signer.newest,
    prove: (from, to) => readConsistencyProof(db, from, to),
    onRound({ witnesses }) {
      const faults = witnesses.flatMap(({ name, fault }) =>
        fault === null ? [] : [`${name}: ${fault.what}`],
      )
      const fault = faults.length === 0 ? '' : `witnesses that cosign nothing: ${faults.join('; ')}`
      if (fault !== told && fault !== '') out.progress(fault)
      told = fault
    },
    onError(error) {
      const fault = String(error)
      if (fault !== told) onError('a round of witnesses', error)
      told = fault
    },
  })
}

/** Two that sign with one memory could sign two trees. */
async function lockSigner(dataDir: string) {
  const folder = signerFolder(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    return await acquireLock(join(folder, 'lock'))
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `process ${error.holder.pid} signs the checkpoints of ${dataDir}: with another --data it would have a key of its own`,
    )
  }
}

const signerRefusal = ({ size, why, last }: Extract<SigningResult, { status: 'refused' }>): string =>
  `refused to sign a log of ${size} entries after one of ${last} (${why}): \`treeos verify\` says what was changed`
