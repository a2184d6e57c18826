/**
 * node download-child.ts FOLDER: downloads the Temporal CLI that fits the installed SDK, with that SDK.
 * The SDK has no call that only downloads, so a server in memory is started and ended. The reason of a failure is the
 * last line on stderr.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing'

const downloadDir = process.argv[2]
if (downloadDir === undefined) throw new TypeError('usage: download-child.ts FOLDER')
try {
  const executable = { type: 'cached-download', downloadDir, ttl: '3650 days' } as const
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } })
  await environment.teardown()
} catch (error) {
  // The message repeats every cause behind a colon; the last one says it.
  console.error(error instanceof Error ? error.message.split(': ').slice(-2).join(': ') : error)
  process.exitCode = 1
}
