import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
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

/** A moment of a being, as a link to what happened in it. */
export const MomentLink = ({ being, n, className = '', isChosen, children }: MomentLinkProps) => (
  <Link
    to="/beings/$name"
    params={{ name: nameIn(being) }}
    search={{ n }}
    className={className}
    data-chosen={isChosen}
  >
    {children}
  </Link>
)
