import { createReadStream, readFileSync } from 'node:fs'
import { TreeosError } from '@treeos/core'
import { systemCode } from '@treeos/local'
import type { CheckedReceipts, Verified } from '@treeos/verify'
import { messageOf, UsageError } from '../../text/failure.ts'
import type { ExitStatus, Output } from '../../text/output.ts'

export interface FileOptions {
  readonly bundle?: string
  readonly receipt?: string
  readonly key?: string
  readonly strict?: boolean
}

export const STATUS_EXIT = { ok: 0, broken: 1, unproven: 3 } as const

/** Checks a bundle or a receipt, without services. @returns null when the options name no file */
export async function verifyFile(
  out: Output,
  { bundle, receipt, key, strict }: FileOptions,
): Promise<ExitStatus | null> {
  if (bundle !== undefined && receipt !== undefined)
    throw new UsageError('verify takes either --bundle or --receipt')
  const file = bundle ?? receipt
  if (file === undefined) return null
  const verify = await import('@treeos/verify')
  const { parseKey, shownReceipt, shownReceipts, shownVerified, verifyBundle, verifyReceipts } = verify
  const verifier = key === undefined ? null : asUsage(() => parseKey(key))
  const checking = { key: verifier, strict: strict === true }
  const found: Verified | CheckedReceipts = await readable(file, async () =>
    bundle === undefined
      ? verifyReceipts(readFileSync(file, 'utf8'), checking)
      : verifyBundle(createReadStream(file), checking),
  )
  if ('reels' in found) out.value(found, shownVerified)
  else if (found.receipts.length === 1 && found.receipts[0] !== undefined)
    out.value(found.receipts[0], shownReceipt)
  else out.value(found, shownReceipts)
  return STATUS_EXIT[found.status]
}

function asUsage<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(`--key: ${messageOf(error)}`)
  }
}

async function readable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw new TreeosError('INVALID_INPUT', `${file} cannot be read: ${messageOf(error)}`)
  }
}
