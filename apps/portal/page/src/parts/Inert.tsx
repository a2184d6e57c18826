import { t } from '../language/index.ts'
import { pieces } from '../text/unseen-text.ts'

/**
 * Text that somebody else wrote. Nothing in it is ever markup, and characters that would not be seen show
 * their codes.
 */
export const Inert = ({ text }: { readonly text: string }) => (
  <span className="inert" dir="auto">
    {pieces(text).map(({ text, isUnseen }, i) =>
      isUnseen ? (
        <span key={i} className="unseen" title={t('an invisible character, {{text}}', { text })}>
          {text}
        </span>
      ) : (
        text
      ),
    )}
  </span>
)

interface InertProps {
  readonly value: unknown
}

/** Content is text, or any JSON. */
export const Content = ({ value }: InertProps) => (
  <Inert text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
)

/** Content in letters of one width. */
export const Code = ({ value }: InertProps) => (
  <span className="code">
    <Content value={value} />
  </span>
)

/** Content in a box of its own. */
export const Block = ({ value }: InertProps) => (
  <div className="block code">
    <Content value={value} />
  </div>
)
