import { Alert } from '@mantine/core'
import { Quiet } from '../parts/index.ts'
import type { Drafting } from './useDraft.ts'

const TEXTS = {
  role: {
    published: 'What you write is kept as a draft in this browser only, until you publish it.',
    overtaken: 'Somebody published another version since you began this draft. Publishing yours replaces it.',
  },
  flow: {
    published: 'In force. What you change is a draft in this browser only, until you publish it.',
    overtaken: 'Another flow was published since you began this draft. Publishing yours replaces it.',
  },
}

interface Props {
  readonly of: 'role' | 'flow'
  readonly draft: Pick<Drafting<unknown>, 'isDraft' | 'isOvertaken'>
}

/** Where a draft is kept, and whether somebody published something since. */
export const DraftNote = ({ of, draft: { isDraft, isOvertaken } }: Props) => (
  <>
    <Quiet>
      {isDraft
        ? 'This draft is kept in this browser only, for you, until you publish it.'
        : TEXTS[of].published}
    </Quiet>
    {isOvertaken ? (
      <Alert color="orange" p="xs">
        {TEXTS[of].overtaken}
      </Alert>
    ) : null}
  </>
)
