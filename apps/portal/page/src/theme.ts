import {
  Accordion,
  AppShell,
  Badge,
  Burger,
  Collapse,
  createTheme,
  defaultVariantColorsResolver,
  Input,
  Menu,
  Modal,
  Popover,
  SegmentedControl,
  Table,
  Textarea,
} from '@mantine/core'

/**
 * How all of it looks: one scale of type, one of spacing, one palette. `tokens.css` has the colours that
 * change with the scheme. What is not of these scales is an accident.
 */

/** 12, 13, 14, 16 and 18 px; headings 24 and 18. Text of people is never smaller than 13. */
const fontSizes = { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' }
/** 4, 8, 12, 16 and 24 px. */
const spacing = { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' }

/** Text on pale badges: dark enough, and in the dark scheme light enough, for WCAG AA. */
const ON_PALE: Readonly<Record<string, string>> = {
  gray: 'var(--on-gray)',
  red: 'var(--on-red)',
  orange: 'var(--on-orange)',
  blue: 'var(--on-blue)',
  leaf: 'var(--on-leaf)',
}

/** As long as `--motion`: the library moves some of its parts longer by itself. */
const MOTION_MS = 120
const moves = { defaultProps: { transitionDuration: MOTION_MS } }
const appears = { defaultProps: { transitionProps: { duration: MOTION_MS } } }

export const theme = createTheme({
  respectReducedMotion: true,
  fontSizes,
  spacing,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    const color = input.variant === 'light' ? ON_PALE[input.color ?? 'leaf'] : undefined
    return color === undefined ? colors : { ...colors, color }
  },
  primaryColor: 'leaf',
  primaryShade: 7, // white text on it has enough contrast
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", Consolas, monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.3' }, h2: { fontSize: '1.125rem', lineHeight: '1.4' } },
  },
  components: {
    Accordion: Accordion.extend(moves),
    AppShell: AppShell.extend(moves),
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none' } }),
    Burger: Burger.extend(moves),
    Collapse: Collapse.extend(moves),
    InputWrapper: Input.Wrapper.extend({ defaultProps: { withAsterisk: false } }),
    Menu: Menu.extend(appears),
    Modal: Modal.extend(appears),
    Popover: Popover.extend(appears),
    SegmentedControl: SegmentedControl.extend(moves),
    Table: Table.extend({ defaultProps: { verticalSpacing: 4 } }),
    Textarea: Textarea.extend({ defaultProps: { autosize: true } }),
  },
  colors: {
    leaf: [
      '#eef6f2',
      '#dcebe4',
      '#b6d6c7',
      '#8dc0a8',
      '#6bae8e',
      '#559f7d',
      '#479070',
      '#2f6d54',
      '#265a45',
      '#164735',
    ],
  },
})
