import type { Json, VerbCall } from '@treeos/core'
import { jsonLine, oneLine, plain, table } from '../text/output.ts'

interface ExportSummary {
  readonly file: string
  readonly roles: number
  readonly signals: number
  readonly spaces: number
  readonly beings: number
  readonly tools: number
  readonly leftOut: readonly string[]
}

export const shownExport = ({ file, leftOut, ...counts }: ExportSummary): string =>
  [
    `wrote ${plain(file)}: ${Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}`,
    ...leftOut.map((one) => `left out: ${plain(one)}`),
  ].join('\n')

interface ToolsLeft {
  readonly server: string
  readonly state: 'missing' | 'differs'
  readonly at: string
}

/** What planting did, or would do. */
export type PlantReport =
  | {
      readonly dryRun: true
      readonly steps: readonly { readonly path: string; readonly call: VerbCall; readonly outside?: true }[]
      readonly conflicts: readonly { readonly path: string; readonly here: Json; readonly inFile: Json }[]
      readonly tools: readonly ToolsLeft[]
    }
  | {
      readonly dryRun: false
      readonly steps: readonly { readonly path: string; readonly act: string | null }[]
      readonly tools: readonly ToolsLeft[]
    }

export function shownPlanted(report: PlantReport): string {
  const tools = report.tools.map(({ server, state, at }) =>
    state === 'missing'
      ? `tools.${server} is not here: --tools adds it, and starts ${oneLine(at)}`
      : `tools.${server} is another one here, and stays as it is`,
  )
  if (!report.dryRun) return [planted(report.steps.length), ...tools].join('\n')
  const { steps, conflicts } = report
  const differs = conflicts.map(
    ({ path, here, inFile }) => `${plain(path)}: ${jsonLine(here)} here, ${jsonLine(inFile)} in the file`,
  )
  return [
    ...(steps.length === 0
      ? ['nothing would change']
      : [
          table(
            steps.map(({ path, call, outside }) => [
              plain(path),
              `${actOf(call)}${outside === true ? ' (from outside)' : ''}`,
            ]),
          ),
        ]),
    ...(differs.length === 0 ? [] : ['no act changes this, so nothing would be planted:', ...differs]),
    ...tools,
  ].join('\n')
}

const planted = (acts: number): string =>
  acts === 0 ? 'nothing had to change' : `planted with ${acts} ${acts === 1 ? 'act' : 'acts'}`

function actOf(call: VerbCall): string {
  if (call.verb === 'do') return `${call.operation} of ${plain(call.target ?? '')}`
  return call.verb === 'be' ? call.operation : call.verb
}
