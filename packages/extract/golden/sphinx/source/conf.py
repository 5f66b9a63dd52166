import os
project = 'Ebbtide'
copyright = 'the Ebbtide authors'
version = release = '4.2'
extensions = ['sphinx.ext.mathjax']
html_theme = os.environ.get('THEME', 'alabaster')
html_theme_options = {'description': 'Tide gauges, read and predicted'} if html_theme == 'alabaster' else {}
html_copy_source = True
html_last_updated_fmt = '%Y'
