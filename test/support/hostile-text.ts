/** What a page would run, load or hide if any of it were taken as markup. */
export const HOSTILE_TEXT = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
  '[a link](javascript:alert(1)) ![x](https://evil.example/x.png)',
  '<style>*{background:url(https://evil.example/y)}</style>',
  '"><iframe srcdoc="<script>alert(1)</script>">',
  '{{constructor.constructor("alert(1)")()}} \u0024{alert(1)}',
  'pay \u202e001 to\u200b me\u{e0041}\u0007',
].join('\n')
