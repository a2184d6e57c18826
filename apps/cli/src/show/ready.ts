import type { Status } from '../health/status.ts'
import { table } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { describeStatus } from './status.ts'

interface ReadyInstance {
  readonly dataDir: string
  readonly isNew: boolean
  readonly detach: boolean
  /** the option by which commands reach this instance */
  readonly flag: string
}

/** What a person reads when everything runs: first what to do next, then where what is. */
export function describeReady(status: Status, { dataDir, isNew, detach, flag }: ReadyInstance): string {
  return [
    `TreeOS is up${isNew ? ', with a new reality' : ''}. Next:`,
    describeNext(status, flag),
    '',
    describeStatus(status, dataDir),
    '',
    ...(status.mind === null ? [...NO_MIND, ''] : []),
    detach ? `Stop  ${programName()} down${flag}` : 'Stop  Ctrl-C',
  ].join('\n')
}

/** At most three lines: an answer, the portal, a model. */
function describeNext({ portal, mind }: Status, flag: string): string {
  const us = programName()
  return table(
    [
      [`${us} summon @echo "hello" --wait 20${flag}`, 'a first answer, which a script decides'],
      ...(portal.url === null
        ? []
        : [[`${us} link${flag}`, `a link by which you sign in to the portal at ${portal.url}`]]),
      mind === null
        ? [`OPENAI_API_KEY=… TREEOS_MODEL=… ${us} up${flag}`, 'a model, once this has stopped']
        : [`${us} summon @librarian "What is this place?" --wait 120${flag}`, `an answer of ${mind.model}`],
    ],
    '  ',
  )
}

const NO_MIND = [
  'No model is connected. Scripted beings and people work without one. To connect one: stop, set OPENAI_API_KEY (or',
  'OPENAI_BASE_URL for any compatible endpoint) and TREEOS_MODEL, or start Ollama, then start again.',
]
