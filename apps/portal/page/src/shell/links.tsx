import { Link } from '@tanstack/react-router'
import { Inert } from '../text/Inert.tsx'

/** A being by its stance, as a link to its page. */
export const BeingLink = ({ stance }: { readonly stance: string }) => (
  <Link to="/beings/$name" params={{ name: stance.replace(/^@/, '') }} className="plain">
    <Inert text={stance} />
  </Link>
)
