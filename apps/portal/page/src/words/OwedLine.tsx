import type { FoundBy } from '../api/deed.ts'
import type { threadQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Quiet } from '../parts/index.ts'
import { owedText } from './owed-text.ts'

interface OwedProps {
  readonly owed: FoundBy<ReturnType<typeof threadQuery>>['owed']
  readonly me: string | undefined
}

/** For whom each being of a thread works now. */
export const OwedLine = ({ owed, me }: OwedProps) => (
  <div role="status" aria-label={t('Who works for whom')}>
    {owedText(owed, me).map((sentence) => (
      <Quiet key={sentence} size="sm">
        {sentence}
      </Quiet>
    ))}
  </div>
)
