export default {
  title: 'Ebbtide', description: 'Tide gauges, read and predicted', base: '/docs/', ignoreDeadLinks: true, lastUpdated: false,
  themeConfig: {
    nav: [{ text: 'Guide', link: '/guide' }, { text: 'Reference', link: '/reference' }],
    sidebar: [{ text: 'Handbook', items: [{ text: 'Home', link: '/' }, { text: 'Reading a gauge', link: '/guide' }, { text: 'API reference', link: '/reference' }, { text: 'Stations', link: '/tables' }, { text: 'Notation', link: '/notation' }, { text: 'Links', link: '/links' }] }],
    editLink: { pattern: 'https://code.example/ebbtide/edit/main/docs/:path' },
    socialLinks: [{ icon: 'github', link: 'https://code.example/ebbtide' }],
    footer: { message: 'Released under the tide licence', copyright: 'Copyright the Ebbtide authors' },
    search: { provider: 'local' },
  },
};
