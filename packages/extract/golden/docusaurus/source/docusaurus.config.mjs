import remarkMath from 'remark-math';
import rehypeKatex from 'rehype-katex';
export default {
  title: 'Ebbtide', tagline: 'Tide gauges, read and predicted', url: 'https://docusaurus.example', baseUrl: '/docs/',
  onBrokenLinks: 'ignore', onBrokenMarkdownLinks: 'ignore', onBrokenAnchors: 'ignore',
  markdown: { format: 'md' },
  presets: [['classic', { docs: { routeBasePath: '/', sidebarPath: './sidebars.mjs', editUrl: 'https://code.example/ebbtide/edit/main/', remarkPlugins: [remarkMath], rehypePlugins: [rehypeKatex], showLastUpdateTime: false }, blog: false, theme: { customCss: './src/css/custom.css' } }]],
  themeConfig: {
    navbar: { title: 'Ebbtide', items: [{ type: 'docSidebar', sidebarId: 'handbook', label: 'Handbook' }, { href: 'https://code.example/ebbtide', label: 'Source' }] },
    announcementBar: { id: 'release', content: 'Version 4.2 is <a href="/docs/guide">here</a>', isCloseable: true },
    footer: { style: 'dark', links: [{ title: 'Community', items: [{ label: 'Forum', href: 'https://forum.example' }] }], copyright: 'Copyright the Ebbtide authors' },
  },
};
