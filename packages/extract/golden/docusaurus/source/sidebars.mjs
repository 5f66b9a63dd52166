export default { handbook: ['index', { type: 'category', label: 'Using it', items: ['guide', 'reference'] }, 'tables', 'notation', 'links'] };
