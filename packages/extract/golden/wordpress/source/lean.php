<?php
// Styles and scripts by reference only, so that the pages hold markup and text.
remove_action('wp_head', 'print_emoji_detection_script', 7);
remove_action('wp_print_styles', 'print_emoji_styles');
add_filter('styles_inline_size_limit', '__return_zero');
add_action('init', function () {
  remove_action('wp_enqueue_scripts', 'wp_enqueue_global_styles'); remove_action('wp_footer', 'wp_enqueue_global_styles', 1);
  remove_action('wp_enqueue_scripts', 'wp_enqueue_classic_theme_styles');
  remove_action('wp_body_open', 'wp_global_styles_render_svg_filters');
});
add_action('wp_enqueue_scripts', function () { foreach (['global-styles', 'classic-theme-styles', 'wp-block-library-theme'] as $h) wp_dequeue_style($h); }, 100);
