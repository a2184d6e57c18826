import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext } from 'react'
import { Inert } from './Inert.tsx'

const nameIn = (being: string): string => being.replace(/^@/, '')

/** A being by its stance, as a link to its page. */
export const BeingLink = ({ stance }: { readonly stance: string }) => (
  <Link to="/beings/$name" params={{ name: nameIn(stance) }} className="plain">
    <Inert text={stance} />
  </Link>
)

interface MomentLinkProps {
  /** its name or stance */
  readonly being: string
  readonly n: number
  readonly className?: string
  readonly isChosen?: boolean
  readonly children: ReactNode
}

/** The thread whose page opens moments beside its story; null on other pages. */
export const OpensMoments = createContext<string | null>(null)

/** A moment of a being, as a link to what happened in it. */
export function MomentLink({ being, n, className = '', isChosen, children }: MomentLinkProps) {
  const thread = useContext(OpensMoments)
  const shown = { className, 'data-chosen': isChosen, children }
  return thread === null ? (
    <Link to="/beings/$name" params={{ name: nameIn(being) }} search={{ n }} {...shown} />
  ) : (
    <Link
      to="/threads/$id"
      params={{ id: thread }}
      search={{ of: nameIn(being), n }}
      resetScroll={false}
      {...shown}
    />
  )
}
