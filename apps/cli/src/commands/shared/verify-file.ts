import { createReadStream, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { textOfBytes } from '@treeos/core/text-bytes'
import { systemCode } from '@treeos/local'
import type { BundleReport, CheckedReceipts } from '@treeos/verify'
import { fileError, messageOf, UsageError } from '../../text/failure.ts'
import type { ExitStatus, Output } from '../../text/output.ts'

export interface FileOptions {
  readonly bundle?: string
  readonly beside?: string
  readonly receipt?: string
  readonly key?: string
  readonly policy?: string
  readonly maxAge?: number
  readonly strict?: boolean
}

export const STATUS_EXIT = { ok: 0, broken: 1, unproven: 3 } as const

/** Checks a bundle or a receipt, without services. @returns null when the options name no file */
export async function verifyFile(
  out: Output,
  { bundle, beside, receipt, strict, maxAge, ...told }: FileOptions,
): Promise<ExitStatus | null> {
  if (bundle !== undefined && receipt !== undefined)
    throw new UsageError('verify takes either --bundle or --receipt')
  if (beside !== undefined && bundle === undefined) throw new UsageError('--beside goes with --bundle')
  const file = bundle ?? receipt
  if (file === undefined) return null
  const verify = await import('@treeos/verify')
  const { shownReceipt, shownReceipts, shownVerified, verifyBundle, verifyReceipts } = verify
  const checking = { ...(await readTrust(told)), strict: strict === true, maxAgeSeconds: maxAge }
  const other =
    beside === undefined
      ? undefined
      : await readFileToVerify(beside, () => verify.readChainLinks(createReadStream(beside)))
  const found: BundleReport | CheckedReceipts = await readFileToVerify(file, async () =>
    bundle === undefined
      ? verifyReceipts(file === '-' ? await text(process.stdin) : textOfBytes(readFileSync(file)), checking)
      : verifyBundle(file === '-' ? process.stdin : createReadStream(file), { ...checking, beside: other }),
  )
  if ('reels' in found) out.value(found, shownVerified)
  else if (found.receipts.length === 1 && found.receipts[0] !== undefined)
    out.value(found.receipts[0], shownReceipt)
  else out.value(found, shownReceipts)
  return STATUS_EXIT[found.status]
}

/**
 * Whose signatures count.
 * @throws {UsageError} for a key or policy that cannot be read, or that names no log
 */
export async function readTrust({
  key,
  policy,
}: {
  readonly key?: string | undefined
  readonly policy?: string | undefined
}) {
  const { parseKey, parsePolicy, trustedPolicy } = await import('@treeos/verify')
  const given = key === undefined ? null : asUsage('--key', () => parseKey(key))
  if (policy === undefined) return { key: given, policy: null }
  const text = await readFileToVerify(policy, async () => textOfBytes(readFileSync(policy)))
  return {
    key: null,
    policy: asUsage('--policy', () => trustedPolicy({ key: given, policy: parsePolicy(text) })),
  }
}

function asUsage<T>(option: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(`${option}: ${messageOf(error)}`)
  }
}

async function readFileToVerify<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError(file, 'cannot be read', error)
  }
}
