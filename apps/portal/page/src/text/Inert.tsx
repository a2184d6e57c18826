import { pieces } from './unseen.ts'

/** Text that somebody else wrote. Nothing in it is ever markup, and characters that would not be seen show their codes. */
export function Inert({ text }: { readonly text: string }) {
  return (
    <span className="inert">
      {pieces(text).map(({ text, isUnseen }, i) =>
        isUnseen ? (
          <span key={i} className="unseen" title={`an invisible character, ${text}`}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </span>
  )
}

/** Content is text, or any JSON. */
export const Content = ({ value }: { readonly value: unknown }) => (
  <Inert text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
)

/** What a notice tells: its message and its code. Any other content as it is. */
export const Notice = ({ value }: { readonly value: unknown }) => {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('message' in value) ||
    typeof value.message !== 'string'
  )
    return <Content value={value} />
  const parts = [value.message, ...('code' in value && typeof value.code === 'string' ? [value.code] : [])]
  return <Inert text={parts.join(' · ')} />
}
