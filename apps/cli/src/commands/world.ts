import { writeFile } from 'node:fs/promises'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import { type PlantReport, shownExport, shownPlanted } from '../show/world-file.ts'
import { fileError, UsageError } from '../text/failure.ts'
import { readText, requireStance } from '../text/input.ts'

interface PlantOptions extends ActingOptions {
  readonly dryRun?: true
  readonly tools?: true
}

/** `treeos world`: a world as one file without history, and back. */
export function addWorld(cli: Cli): void {
  cli.describeGroup('world', 'a world as one file without history')
  cli
    .onInstance(
      'export <file>',
      'write the world to a file, without its history\nRoles, flows, spaces, rules, beings, schedules and tools, as YAML; as JSON where the name ends in .json.',
      'world',
    )
    .action(
      cli.run(async (out, file: string, options: InstanceOptions) =>
        out.value(await exported(file, options), shownExport),
      ),
    )
  cli
    .asBeing(
      'plant <file>',
      'make what a file says, by acts of the being\nThe file - is standard input.',
      'world',
    )
    .option('--dry-run', 'show the acts and what differs, and do nothing')
    .option('--tools', 'also add the tool servers of the file: it starts their commands on this machine')
    .action(
      cli.run(async (out, file: string, options: PlantOptions) => {
        const as = requireStance(options.as)
        if (options.tools === true && as !== OPERATOR)
          throw new UsageError('--tools is for the operator of this machine: leave --as out')
        const report = await planted(file, options, as, (line) => out.progress(line))
        out.value(report, shownPlanted)
      }),
    )
}

const OPERATOR = 'operator'

async function exported(file: string, options: InstanceOptions) {
  const { exportWorld, readWorldRows, writeWorld } = await import('@treeos/world-file')
  const { toolsForFile } = await import('../instance/world-tools.ts')
  const { tools, leftOut } = await toolsForFile(options)
  const world = exportWorld(await withReality(options, ({ db }) => readWorldRows(db)), tools)
  const text = writeWorld(world, file.endsWith('.json') ? 'json' : 'yaml')
  const count = (part: object) => Object.keys(part).length
  const { roles, signals, spaces, beings } = world
  await writeFile(file, text, { mode: 0o600 }).catch((error: unknown) => {
    throw fileError(file, 'cannot be written', error)
  })
  return {
    file,
    ...{ roles: count(roles), signals: count(signals), spaces: count(spaces), beings: count(beings) },
    tools: count(tools),
    leftOut,
  }
}

async function planted(
  file: string,
  options: PlantOptions,
  as: string,
  onProgress: (line: string) => void,
): Promise<PlantReport> {
  const { planOf, plantWorld, readWorldRows, readWorldText } = await import('@treeos/world-file')
  const { plantTools, toolsInFile } = await import('../instance/world-tools.ts')
  const name = file === '-' ? 'standard input' : file
  const world = readWorldText(await readText(file), name)
  const tools = await toolsInFile(options, world.tools, name)
  if (options.dryRun === true) {
    const { steps, conflicts } = planOf(world, await withReality(options, ({ db }) => readWorldRows(db)))
    return { dryRun: true, steps, conflicts, tools }
  }
  const done = await withServices(options, async (at) => {
    const plan = planOf(world, await readWorldRows(at.db))
    return plantWorld(at, as, plan, {
      file: name,
      onStep: ({ path }, n) => onProgress(`planting ${n + 1} of ${plan.steps.length}: ${path}`),
    })
  })
  if (options.tools === true) await plantTools(options, tools, world.tools, onProgress)
  const left = options.tools === true ? tools.filter(({ state }) => state === 'differs') : tools
  return { dryRun: false, steps: done, tools: left }
}
