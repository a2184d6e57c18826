/**
 * A process that runs command lines one after another for a test instance. It does all that `treeos` does
 * except starting and ending, which costs a second of processor time a command. Requests and answers are
 * messages, one at a time.
 */
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { loadEnvironment } from '@treeos/cli/environment'
import { runCommandLine } from '@treeos/cli/run'

export interface Asked {
  readonly args: readonly string[]
  readonly input: string
}

class Captured extends Writable {
  text = ''

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const stand = (name: 'stdin' | 'stdout' | 'stderr', value: Readable | Writable) =>
  Object.defineProperty(process, name, { value, configurable: true })

// What a command left open would keep it alive after the test that asked has ended.
process.on('disconnect', () => process.exit())
loadEnvironment(process.env, join(process.cwd(), '.env'))
process.on('message', async ({ args, input }: Asked) => {
  const [stdout, stderr] = [new Captured(), new Captured()]
  stand('stdin', Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false }))
  stand('stdout', stdout)
  stand('stderr', stderr)
  const status = await runCommandLine(args)
  process.send?.({ status, stdout: stdout.text, stderr: stderr.text })
})
