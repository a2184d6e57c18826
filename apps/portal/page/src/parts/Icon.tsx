/** Lines on a grid of 24 by 24. */
const PATHS = {
  start: 'M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z',
  inbox: 'M4 13 6.5 5h11L20 13v6H4zM4 13h4.5l1.5 2.5h4l1.5-2.5H20',
  threads: 'M4 5h12v9H9l-3.5 3v-3H4zM18 9h2v8h-1.5v3L15 17h-4',
  world:
    'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17M3.5 12h17M12 3.5c-5.5 5-5.5 12 0 17c5.5-5 5.5-12 0-17',
  role: 'M4.5 5.5c5 2 10 2 15 0V12c0 4-3 7-7.5 8.5C7.5 19 4.5 16 4.5 12zM8.5 10.5h2M13.5 10.5h2M9 14.5q3 2 6 0',
  signal: 'M12 13v7M8.5 9.5a5 5 0 0 1 7 0M6 7a8.5 8.5 0 0 1 12 0M12 12.5v.5',
  hand: 'M13 3.5 5.5 13.5H11L10 20.5l8-10.5h-5.5z',
  birth:
    'M12 20.5V11M12 14.5C7.5 14.5 5.5 11.5 5.5 7.5c4 0 6.5 2.5 6.5 7M12 11c0-4 2-6.5 6.5-6.5c0 4.5-2 6.5-6.5 6.5',
  overlay: 'M12 4 3.5 8.5 12 13l8.5-4.5zM3.5 12.5 12 17l8.5-4.5M3.5 16.5 12 21l8.5-4.5',
  replay: 'M4.5 12a7.5 7.5 0 1 0 2.5-5.5M4.5 4v4h4M12 8v4.5l3 2',
  people:
    'M9 12a3.5 3.5 0 1 0 0-7a3.5 3.5 0 1 0 0 7M3 19.5c.5-3.5 3-5 6-5s5.5 1.5 6 5M15.5 5.5a3 3 0 0 1 0 6M17.5 14.7c2 .7 3.2 2.300 3.5 4.8',
  health: 'M3.5 12.5h4L10 6l4 12.5 2.5-6h4',
  live: 'M5 18.5a2 2 0 1 0 0-.01M19 18.5a2 2 0 1 0 0-.01M12 5.5a2 2 0 1 0 0-.01M6 16.5l4.5-9M18 16.5l-4.5-9M7.5 18.5h9',
  me: 'M12 12a4 4 0 1 0 0-8a4 4 0 1 0 0 8M4.5 20.5c.7-4 3.5-6 7.5-6s6.8 2 7.5 6',
  doors: 'M4.5 9.5 9 5M4.5 9.5 9 14M4.5 9.5H15M19.5 14.5 15 10M19.5 14.5 15 19M19.5 14.5H9',
  key: 'M8 15.5a4 4 0 1 0-.01 0M11 9.5 20 4.5M16.5 6.5l2 3',
  temporal: 'M4 4.5h16v15H4zM4 9h16M8 13h4M8 16h7',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13a6.5 6.5 0 1 0 0 13M15.5 15.5 20.5 20.5',
  space: 'M4 7.5 12 3.5l8 4v9l-8 4-8-4zM4 7.5l8 4 8-4M12 11.5v9',
  moment: 'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16M12 8v4.5l3 2',
  words: 'M4 5h16v11H11l-4 3.5V16H4zM8 9h8M8 12h5',
  page: 'M6 3.5h8l4 4v13H6zM14 3.5v4h4',
} as const

export type IconName = keyof typeof PATHS

/** A picture beside a word, which says the same. */
export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.7}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden
    className="icon"
  >
    <path d={PATHS[name]} />
  </svg>
)
