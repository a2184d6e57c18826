import { Alert, Group } from '@mantine/core'
import { t } from '../language/index.ts'
import { Quiet, SmallButton } from '../parts/index.ts'
import type { DraftState } from './useDraft.ts'

const DRAFT_NOTES = {
  role: {
    published: t('What you write is kept as a draft in this browser only, until you publish it.'),
    overtaken: t(
      'Somebody published another version since you began this draft. Publishing yours replaces it.',
    ),
  },
  flow: {
    published: t('In force. What you change is a draft in this browser only, until you publish it.'),
    overtaken: t('Another flow was published since you began this draft. Publishing yours replaces it.'),
  },
}

/** The part of a page in which a draft is tried. */
export const TRIAL_ID = 'try-it'

interface DraftNoteProps {
  readonly of: 'role' | 'flow'
  /** it can be tried on past moments, in the part {@link TRIAL_ID} further down */
  readonly isTryable: boolean
  readonly draft: Pick<DraftState<unknown>, 'isDraft' | 'isOvertaken'>
}

/** Where a draft is kept, and whether somebody published something since. */
export const DraftNote = ({ of, isTryable, draft: { isDraft, isOvertaken } }: DraftNoteProps) => (
  <>
    <Quiet>
      {isDraft
        ? t('This draft is kept in this browser only, for you, until you publish it.')
        : DRAFT_NOTES[of].published}
    </Quiet>
    {!isTryable || !isDraft ? null : (
      <Group>
        <SmallButton onClick={() => leadTo(TRIAL_ID)}>{t('Try it on past moments')}</SmallButton>
      </Group>
    )}
    {isOvertaken ? (
      <Alert color="orange" p="xs">
        {DRAFT_NOTES[of].overtaken}
      </Alert>
    ) : null}
  </>
)

function leadTo(id: string): void {
  const part = document.getElementById(id)
  part?.scrollIntoView({ block: 'center' })
  part?.focus({ preventScroll: true })
}
