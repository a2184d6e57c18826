#!/usr/bin/env node
/**
 * `pnpm bench` lists the benchmarks, `pnpm bench NAME` runs one, `pnpm bench --gate` judges all. Progress
 * goes to stderr, the result to stdout.
 */
import { parseArgs } from 'node:util'
import { benchmarks } from './benchmarks.ts'
import { GATED, gate, showVerdicts } from './gate.ts'

const OPTIONS = {
  json: { type: 'boolean', default: false },
  gate: { type: 'boolean', default: false },
  size: { type: 'string', default: 'full' },
  profile: { type: 'boolean', default: false },
  only: { type: 'string' },
  beings: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  questions: { type: 'string' },
  depth: { type: 'string', default: '1' },
  'think-ms': { type: 'string' },
  shards: { type: 'string' },
  other: { type: 'string' },
  facts: { type: 'string' },
  moments: { type: 'string' },
  url: { type: 'string' },
  model: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

process.env.TZ = 'UTC'
// An interrupted benchmark may still hold connections, so the process exits explicitly.
process.exit(await main(process.argv.slice(2).filter((argument) => argument !== '--')))

async function main(args: string[]): Promise<number> {
  const parsed = read(args)
  if (parsed === null) return 2
  const { values, positionals } = parsed
  const [name] = positionals
  if (values.gate && !values.help) return runGate(values, positionals)
  if (name === undefined || values.help) {
    for (const { name, what } of benchmarks) console.log(`${name.padEnd(10)} ${what}`)
    console.log(
      '\npnpm bench NAME [--json] [--size small|full] [--profile] [--only a,b] [--beings N] [--seconds N] [--rounds N] [--questions N] [--depth N] [--think-ms N] [--shards N] [--facts N] [--moments N] [--url URL] [--model NAME]\n' +
        `pnpm bench --gate [NAME…] [--json] runs ${GATED.join(', ')} and ends with 1 when a ratio got worse`,
    )
    return 0
  }
  const benchmark = benchmarks.find((one) => one.name === name)
  const fault = benchmark === undefined ? `there is no benchmark ${name}` : benchmark.refuse(values)
  if (benchmark === undefined || fault !== null || positionals.length > 1) {
    console.error(fault ?? 'one benchmark at a time')
    return 2
  }
  return reported(values, async () => {
    const result = await benchmark.run(values, (line) => console.error(line))
    console.log(values.json ? JSON.stringify(result) : benchmark.show(result))
    return 0
  })
}

type Values = NonNullable<ReturnType<typeof read>>['values']

async function runGate(values: Values, names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !GATED.includes(name))
  if (unknown !== undefined) {
    console.error(`${unknown} has no thresholds, only ${GATED.join(', ')} have`)
    return 2
  }
  return reported(values, async () => {
    const result = await gate(values, names, (line) => console.error(line))
    console.log(values.json ? JSON.stringify(result) : showVerdicts(result.gate))
    return result.gate.every(({ isMet }) => isMet) ? 0 : 1
  })
}

/** @returns the exit code of `work`; 1 when it throws, after it reported the error */
async function reported({ json }: Values, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    console.error(error)
    const message = error instanceof Error ? error.message : String(error)
    if (json) console.log(JSON.stringify({ error: { code: 'INTERNAL', message } }))
    return 1
  }
}

function read(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return null
  }
}
