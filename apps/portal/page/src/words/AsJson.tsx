import { Collapse } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { t } from '../language/index.ts'
import { Block, SmallButton } from '../parts/index.ts'
import { filesIn } from './files-in.ts'

/** A content that is more than words, as it was sent, behind a press. */
export function AsJson({ content }: { readonly content: unknown }) {
  const [isOpen, { toggle }] = useDisclosure()
  if (!isMoreThanWords(content)) return null
  return (
    <>
      <SmallButton variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={toggle}>
        {t('as JSON')}
      </SmallButton>
      <Collapse expanded={isOpen}>{isOpen ? <Block value={content} /> : null}</Collapse>
    </>
  )
}

/** Files of words are shown beneath them. */
const isMoreThanWords = (content: unknown): boolean =>
  typeof content === 'object' &&
  content !== null &&
  Object.keys(content).some((key) => key !== 'text' && (key !== 'files' || filesIn(content).length === 0))
