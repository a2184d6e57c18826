/** The end of an arrow: a line names it by `url(#ID)`. */
export const ArrowHead = ({ id }: { readonly id: string }) => (
  <defs>
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="8"
      markerHeight="8"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0 0 8 4 0 8z" className="graph-head" />
    </marker>
  </defs>
)
