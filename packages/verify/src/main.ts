#!/usr/bin/env node
import { createReadStream, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { verifyBundle } from './bundle/bundle.ts'
import { readChainLinks } from './bundle/chain-links.ts'
import { verifyFollows } from './follow.ts'
import { parsePolicy } from './policy.ts'
import { verifyReceipts } from './receipt/receipt.ts'
import { shownFollowed, shownReceipt, shownReceipts, shownVerified } from './show.ts'
import { parseKey } from './signature.ts'

const USAGE = `treeos-verify (--bundle FILE [--beside FILE] | --receipt FILE | --checkpoint FILE --newer FILE) [--key NAME+KEYID+BASE64] [--policy FILE] [--max-age SECONDS] [--strict] [--json]

Checks an audit bundle (\`treeos export\`) or a receipt (\`treeos receipt\`) of TreeOS, or that the log of a newer checkpoint
begins with that of an older one. It needs no services.
  --beside FILE another bundle of the same reality: they must not tell two histories
  --newer FILE  what the portal answers at /api/open/log/consistency?from=SIZE, SIZE being that of the older one
  --key KEY     of the log that signed it
  --policy FILE keys of the log, witnesses and the quorum of them that must have cosigned (C2SP tlog-policy)
  --max-age S   of the checkpoint, in seconds: as its witnesses say, else as its newest entry does
  --strict      what is not proven is not ok
Exit status: 0 it holds · 1 it is broken · 2 wrong usage · 3 nothing contradicts, and it is not proven.`

const EXIT = { ok: 0, broken: 1, unproven: 3 } as const

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      bundle: { type: 'string' },
      beside: { type: 'string' },
      receipt: { type: 'string' },
      checkpoint: { type: 'string' },
      newer: { type: 'string' },
      key: { type: 'string' },
      policy: { type: 'string' },
      'max-age': { type: 'string' },
      strict: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { bundle, beside, receipt, checkpoint, newer, help } = values
  const asked = [bundle, receipt, checkpoint].filter((file) => file !== undefined)
  const isAlone = beside !== undefined && bundle === undefined
  if (
    help === true ||
    asked.length !== 1 ||
    isAlone ||
    (checkpoint === undefined) !== (newer === undefined)
  ) {
    console.error(USAGE)
    return help === true ? 0 : 2
  }
  const key = values.key === undefined ? null : parseKey(values.key)
  const policy = values.policy === undefined ? null : parsePolicy(readFileSync(values.policy, 'utf8'))
  const maxAge = values['max-age']
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw new Error('--max-age takes seconds')
  const maxAgeSeconds = maxAge === undefined ? undefined : Number(maxAge)
  const checking = { key, policy, maxAgeSeconds, strict: values.strict === true }
  const tell = <T>(found: T, shown: (found: T) => string) =>
    console.log(values.json === true ? JSON.stringify(found) : shown(found))
  if (receipt !== undefined) {
    const checked = await verifyReceipts(readFileSync(receipt, 'utf8'), checking)
    // One receipt is told as one, several as a list.
    const [first, ...more] = checked.receipts
    if (first !== undefined && more.length === 0) tell(first, shownReceipt)
    else tell(checked, shownReceipts)
    return EXIT[checked.status]
  }
  if (checkpoint !== undefined) {
    const answer = readFileSync(String(newer), 'utf8')
    const followed = verifyFollows(readFileSync(checkpoint, 'utf8'), answer, checking)
    tell(followed, shownFollowed)
    return followed.ok ? 0 : 1
  }
  const other = beside === undefined ? undefined : await readChainLinks(createReadStream(beside))
  const verified = await verifyBundle(createReadStream(String(bundle)), { ...checking, beside: other })
  tell(verified, shownVerified)
  return EXIT[verified.status]
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`treeos-verify: ${(error as Error).message}`)
  process.exitCode = 2
}
